// What the live figures share. A figure exports compute(state), pure and mirrored in Python,
// render({ model, el }), which draws what compute returns, valid(state), and initialize from here.
// This file, parts.js and one figure, put one after the other, are an anywidget front-end module.
// Inside a function they are a classic script, which a page in a folder may run too.

// ---- numbers ------------------------------------------------------------------------------------
const dot = (u, v) => u.reduce((sum, x, i) => sum + x * v[i], 0);
const transpose = (M) => M[0].map((_x, j) => M.map((row) => row[j]));
const matmul = (A, B) => {
  const columns = transpose(B);
  return A.map((row) => columns.map((c) => dot(row, c)));
};
const range = (n) => Array.from({ length: n }, (_x, i) => i);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const hundredth = (x) => Math.round(100 * x) / 100;
const thousandth = (x) => Math.round(1000 * x) / 1000;

/** The largest |A - B| over all entries of two matrices of one shape. */
const largestDifference = (A, B) => Math.max(...A.flat().map((x, i) => Math.abs(x - B.flat()[i])));

/** The sum of a list. */
const total = (x) => x.reduce((a, b) => a + b, 0);

/**
 * All orders of the entries of a list, each once where entries are equal, in lexicographic order of
 * their places.
 */
function ordersOf(list) {
  if (!list.length) return [[]];
  const without = (x) => list.filter((_x, i) => i !== list.indexOf(x));
  return [...new Set(list)].flatMap((x) => ordersOf(without(x)).map((rest) => [x, ...rest]));
}

/** The order that undoes an order. */
const inverted = (order) => order.map((_x, j) => order.indexOf(j));

/** A list whose entry at `from` stands at `to` instead. */
function shifted(list, from, to) {
  const moved = [...list];
  moved.splice(to, 0, ...moved.splice(from, 1));
  return moved;
}

/** Whether `order` holds each of 0 … n-1 once. */
const isPermutation = (order, n) =>
  order.length === n && [...order].sort((a, b) => a - b).every((x, i) => x === i);

/**
 * softmax(s)_j = exp(s_j) / Σ exp(s_l); the largest score is subtracted first, and -Infinity gets
 * weight 0.
 */
function softmax(s) {
  const largest = Math.max(...s);
  const e = s.map((x) => Math.exp(x - largest));
  const sum = e.reduce((a, b) => a + b);
  return e.map((x) => x / sum);
}

/** Word n of the generator mulberry32. */
function mulberry32(n) {
  const a = Math.imul(n + 1, 0x6d2b79f5);
  let t = Math.imul(a ^ (a >>> 15), a | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return t ^ (t >>> 14);
}

/** A function that keeps its answers. */
function memoize(f) {
  const answers = new Map();
  return (...args) => {
    const key = args.join();
    if (!answers.has(key)) answers.set(key, f(...args));
    return answers.get(key);
  };
}

// ---- numbers as text ----------------------------------------------------------------------------
const show = (x, digits = 2) => (Number(x.toFixed(digits)) + 0).toFixed(digits).replace("-", "−");
const high = (t) =>
  String(t)
    .replace("-", "⁻")
    .replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
const low = (t) =>
  String(t)
    .replace("-", "₋")
    .replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
const typeset = (x) =>
  String(x)
    .replace(/e\+?(.*)/, (_x, power) => `·10${high(power)}`)
    .replace("-", "−");
const tiny = (x) => {
  if (x === 0) return "0";
  return x < 1e-3 ? typeset(x.toExponential(1)) : show(x, 3);
};

// ---- elements -----------------------------------------------------------------------------------
const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(
  "svg g path line circle rect polygon polyline text tspan title pattern clipPath".split(" "),
);

/**
 * An element with attributes (`on…` are listeners, null is left out) and children (text is text,
 * never HTML).
 */
function make(tag, attributes = {}, ...children) {
  const element = SHAPES.has(tag)
    ? document.createElementNS(SVG, tag)
    : document.createElement(tag);
  set(element, attributes);
  // Jupyter takes arrow keys from whatever has the focus, unless that very element says no.
  const focusable = "tabindex" in attributes || ["input", "select", "button"].includes(tag);
  if (focusable) element.dataset.lmSuppressShortcuts = "true";
  // After Back a control says what its figure says.
  if ("autocomplete" in element) element.autocomplete ||= "off";
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return element;
}

/** A `div` of a class, of which the layout of a figure is made. */
const div = (look, ...children) => make("div", { class: look }, ...children);

/** Sets attributes that have changed; null removes one. */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
  return element;
}

/**
 * The pieces of a sentence, which a translator needs whole: text or elements at the places of their
 * names, as in {name}, and *words* stressed.
 */
const fillIn = (text, parts = {}, stress = (words) => make("b", {}, words)) =>
  text.split(/(\{\w+\}|\*[^*]+\*)/).map((piece) => {
    const inside = piece.slice(1, -1);
    if (piece[0] === "{") return parts[inside];
    return piece[0] === "*" ? stress(inside) : piece;
  });

/** Makes a whole sentence what an element shows. */
const tell = (element, text, parts) => element.replaceChildren(...fillIn(text, parts));

/** Several sentences, without those that are not there; Chinese has no space between them. */
const paragraph = (...sentences) =>
  sentences
    .filter(Boolean)
    .join(" ")
    .replace(/(?<=[。？！]) /g, "");

/** Several names in one sentence. */
const listed = (names) => (names.length ? names.reduce((all, last) => `${all} and ${last}`) : "");

/**
 * Marks a text as a message, to be translated. Sentences are found by themselves: they have a capital
 * letter or words side by side. A single word in lower case reads like code. No parameter is called
 * `_`, so that a message can be marked anywhere.
 */
const _ = (text) => text;

/**
 * Words of a state as an edition says them, whose page has a table of them: the state keeps its
 * own.
 */
const spokenAs = (model, words) =>
  words.map((word) => new Map(model.get("words")).get(word) ?? word);

/** Writes text that has changed. */
const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/** An id that no other element has, nor one in another output of a notebook. */
const newId = () => `live-${++serial}-${Math.random().toString(36).slice(2, 8)}`;
let serial = 0;

/** Whether the reader has asked for less motion. */
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// ---- state --------------------------------------------------------------------------------------
// The state of a figure is one object under one name, "state": it changes at once, and no trait of
// a widget is hidden.

/** A model in memory, with as much of the interface of anywidget's model as a figure needs. */
function memory(values) {
  const listeners = {};
  return {
    get: (name) => values[name],
    set(name, value) {
      values[name] = value;
      (listeners[`change:${name}`] || []).forEach((call) => call());
    },
    save_changes() {},
    on(event, call) {
      (listeners[event] ||= []).push(call);
    },
  };
}

/** `[read, change]` for the state of a model: `change` takes the parts that change. */
const stateOf = (model) => [
  () => model.get("state"),
  (part) => {
    model.set("state", { ...model.get("state"), ...part });
    model.save_changes();
  },
];

/** The state as the end of an address: what differs from the beginning, numbers to three digits. */
function toLink(id, state, initial) {
  const differs = ([name, value]) => JSON.stringify(value) !== JSON.stringify(initial[name]);
  const changed = Object.fromEntries(Object.entries(state).filter(differs));
  const round = (_x, x) => (typeof x === "number" ? Number(x.toFixed(3)) : x);
  return `#${id}?${encodeURIComponent(JSON.stringify(changed, round))}`;
}

/** Whether a value from outside is of the kind of `model`, and no longer than a figure can need. */
function isLike(value, model) {
  if (Array.isArray(model)) {
    const first = model[0] ?? "";
    return Array.isArray(value) && value.length < 100 && value.every((x) => isLike(x, first));
  }
  if (typeof model === "number") return Number.isFinite(value);
  if (typeof model === "string") return typeof value === "string" && value.length < 200;
  return typeof value === typeof model;
}

/**
 * The state that an address names if its values are of the right kinds and `valid` accepts them; or
 * else `initial`.
 */
function fromLink(id, hash, initial, valid) {
  const [name, query] = hash.slice(1).split("?");
  if (name !== id || !query) return initial;
  try {
    const linked = JSON.parse(decodeURIComponent(query));
    const fits = (key) => Object.hasOwn(linked, key) && isLike(linked[key], initial[key]);
    const names = Object.keys(initial).filter(fits);
    const state = { ...initial, ...Object.fromEntries(names.map((key) => [key, linked[key]])) };
    return valid(state) ? state : initial;
  } catch {
    return initial;
  }
}

// ---- places on a page and widgets of a kernel ---------------------------------------------------
/**
 * What the outputs of a notebook know of each other: figures drawn by `mountAll`, widgets that hold
 * their state.
 */
const registry = (globalThis.attnbookLive ||= { figures: [], widgets: [] });

/**
 * Ties the state of a drawn figure to the widget of the same key, in both directions. Either may
 * come first.
 */
function joinWidgets() {
  for (const figure of registry.figures) {
    // the last of that key: the kernel may have restarted
    const widget = registry.widgets.findLast(({ key }) => key === figure.key);
    if (!widget || figure.joined === widget) continue;
    figure.joined = widget;
    const pass = (from, to) => () => {
      if (JSON.stringify(from.get("state")) === JSON.stringify(to.get("state"))) return;
      to.set("state", from.get("state"));
      to.save_changes();
    };
    pass(widget.model, figure.model)();
    figure.model.on("change:state", pass(figure.model, widget.model));
    widget.model.on("change:state", pass(widget.model, figure.model));
  }
}

/** anywidget calls this when a kernel makes the widget, shown or not. */
function initialize({ model }) {
  registry.widgets.push({ key: model.get("key"), model });
  joinWidgets();
}

/** How long after its reading a page waits before it draws the figures that nobody has come to, in ms. */
const PATIENCE = 5000;

/**
 * Draws a figure into every place of the page that asks for it and has none. `figures` is {name:
 * figure}. While the page is still read, the figure before this script is drawn before what stands
 * below it is painted, so that nothing moves. Those below it come when the reader is a screen away
 * from them or has had the page for a while, one at a time, so that the page answers in between. All
 * are drawn at once for paper, and before the page shows a place within it, which they may stand
 * above.
 */
function mountAll(figures) {
  const within = !("lazy" in document.documentElement.dataset);
  const waiting = () =>
    [...document.querySelectorAll(".live[data-live]:not(.live-drawn)")].filter(
      ({ dataset }) => figures[dataset.live],
    );
  const draw = (place) => {
    mount(figures[place.dataset.live], place);
    joinWidgets();
  };
  const drawAll = () => waiting().forEach(draw);
  const drawOneByOne = () => {
    waiting().slice(0, 1).forEach(draw);
    if (waiting().length) setTimeout(drawOneByOne);
  };
  const drawNear = () => {
    const come = (entries) => entries.filter((entry) => entry.isIntersecting);
    const fresh = ({ target }) => !target.matches(".live-drawn");
    const near = new IntersectionObserver(
      (entries) => come(entries).filter(fresh).forEach(({ target }) => draw(target)),
      { rootMargin: "100% 0%" },
    );
    waiting().forEach((place) => near.observe(place));
    setTimeout(drawOneByOne, PATIENCE);
    addEventListener("beforeprint", drawAll);
    addEventListener("click", ({ target }) => target.closest("a[href*='#']") && drawAll(), true);
  };
  if (document.readyState !== "loading") return drawAll();
  waiting().slice(0, 1).forEach(draw);
  addEventListener("DOMContentLoaded", within ? drawAll : drawNear);
}

/**
 * What the tab keeps under a name until it is closed; nothing where a browser lets nothing be kept.
 */
const session = (name) => {
  const attempt = (act) => {
    try {
      return act();
    } catch {
      return null;
    }
  };
  return {
    read: () => attempt(() => sessionStorage.getItem(name)),
    write: (text) => attempt(() => sessionStorage.setItem(name, text)),
  };
};

/**
 * Draws a figure into its place, in the state of the address, or else as the reader has left it.
 */
function mount(figure, place) {
  const { state: initial, ask, words } = JSON.parse(place.querySelector("script").textContent);
  const el = div("live-figure");
  const arrives = (hash, start) => fromLink(place.id, hash, start, figure.valid);
  const model = memory({ state: initial, ask, words });
  const link = () => (place.dataset.key ? null : linkButton(place.id, model, initial));
  display(figure, model, el, link);
  if (place.dataset.key) registry.figures.push({ key: place.dataset.key, model });
  place.append(el);
  const skip = () => el.querySelector("[data-skip]")?.click();
  const left = place.dataset.key ? null : session(`live ${location.pathname}#${place.id}`);
  const before = left?.read();
  if (before) skip(); // what was moved before an answer is not kept
  const began = arrives(location.hash, arrives(before || "", initial));
  if (began !== initial) model.set("state", began);
  const whole = () => `#${place.id}?${encodeURIComponent(JSON.stringify(model.get("state")))}`;
  model.on("change:state", () => el.matches(".live-asking") || left?.write(whole()));
  place.classList.add("live-drawn");
  keepHeight(place, el);
  const follow = (clicked) => {
    // an address, or a link of this page, names a state of this figure
    const linked = arrives(location.hash, initial);
    if (linked === initial) return;
    if (clicked) skip(); // a link on the page shows what it speaks of
    if (JSON.stringify(linked) !== JSON.stringify(model.get("state"))) model.set("state", linked);
    place.scrollIntoView();
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => follow());
  else follow();
  addEventListener("hashchange", follow);
  place.figure = { model, compute: figure.compute, fromLink: arrives }; // for tests
}

/**
 * Keeps for a figure the largest height that it has had at its width, and room for a longer
 * sentence, so that nothing below it moves while a reader moves something in it or answers a question.
 * What nothing has filled yet stands below the whole cell: the caption follows what can be seen.
 */
function keepHeight(place, el) {
  const around = place.closest(".cell") || place;
  let look;
  let most;
  let seen;
  new ResizeObserver(([{ borderBoxSize: [size] }]) => {
    const height = Math.round(size.blockSize); // to ask the element would lay out the page once more
    const now = Math.round(size.inlineSize);
    if (!height) return; // on paper
    if (now !== look) {
      const lines = Math.ceil(Math.ceil(1000 / now) * parseFloat(getComputedStyle(el).lineHeight));
      [look, seen, most] = [now, height, height + lines];
    }
    seen = Math.max(seen, height);
    most = Math.max(most, seen);
    place.style.setProperty("--live-height", `${most}px`);
    for (const element of [around, place]) {
      element.style.setProperty("--live-spare", `${most - seen}px`);
    }
  }).observe(el);
}

/**
 * Draws a figure, and draws it anew when its `shape(state)` changes, such as the number of keys.
 */
function display(figure, model, el, link) {
  let update = null;
  let shape;
  const on = (_x, call) => {
    update = call;
  };
  const refresh = () => {
    const now = JSON.stringify(figure.shape?.(model.get("state")));
    if (update && now === shape) return update();
    shape = now;
    el.replaceChildren();
    figure.render({ model: { ...model, on }, el });
    addTools(el, link());
  };
  model.on("change:state", refresh);
  refresh();
}

/**
 * Moves the button that goes back to the start to the end of the hint, where the `link` is too; in a
 * figure without a hint, above the controls.
 */
function addTools(el, link) {
  const controls = el.querySelector(".live-controls");
  if (!controls) return;
  const reset = controls.querySelector(":scope > button:last-child");
  const below = el.querySelector(".live-hint") ?? controls;
  below.before(div("live-tools", reset && quiet(reset, ARROW_BACK), link));
  if (!controls.children.length) controls.remove();
}

const ARROW_BACK = "M5 4v5h5M5.3 9A8 8 0 1 1 4.2 14";
const CHAIN =
  "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1";

/**
 * Gives a button a sign in place of its words: they remain its name, and show while a pointer or the
 * focus is on it.
 */
function quiet(element, sign) {
  const look = { class: "live-glyph", viewBox: "0 0 24 24", "aria-hidden": true };
  const words = make("span", { class: "live-bubble" }, ...element.childNodes);
  element.replaceChildren(make("svg", look, make("path", { d: sign })), words);
  element.classList.add("live-quiet");
  return element;
}

/** A button that puts the state into the address and copies it, and the line that says so. */
function linkButton(id, model, initial) {
  const line = make("span", { class: "live-said live-bubble", role: "status" });
  const say = (text) => {
    write(line, text);
    clearTimeout(timer);
    timer = setTimeout(() => write(line, ""), 2500);
  };
  let timer;
  const link = button("Link to this state", async () => {
    history.replaceState(null, "", toLink(id, model.get("state"), initial));
    try {
      await navigator.clipboard.writeText(location.href); // where a page has a clipboard
      say("Copied");
    } catch {
      say("The address bar has the link");
    }
  });
  return [quiet(link, CHAIN), line];
}
