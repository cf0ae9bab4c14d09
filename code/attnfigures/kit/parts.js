// The parts that figures are made of: handles that a pointer, a finger or the arrow keys move,
// controls, tables, text that is spoken, and the question before the result.

// ---- moving -------------------------------------------------------------------------------------
const STEPS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  Home: [-999, 0],
  End: [999, 0],
  PageUp: [0, 5],
  PageDown: [0, -5],
};

/**
 * Calls `move(dx, dy)` with steps of ±1 for arrow keys, ±5 with Shift or Page Up and Page Down; Home
 * and End go as far as there is.
 */
function arrows(target, move) {
  target.addEventListener("keydown", (event) => {
    if (!Object.hasOwn(STEPS, event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // a notebook would go to another cell
    move(...STEPS[event.key].map((step) => step * (event.shiftKey ? 5 : 1)));
  });
}

/**
 * Calls `drag(x, y)`, in the coordinates of `svg`, while a pointer holds `target`, and `drop()` at
 * the end.
 */
function draggable(target, svg, drag, drop = () => {}) {
  target.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    target.focus({ preventScroll: true });
    target.setPointerCapture(event.pointerId);
  });
  // Safari passes over touch-action in SVG, and would scroll the page.
  target.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  target.addEventListener("pointermove", (event) => {
    if (!target.hasPointerCapture(event.pointerId)) return;
    const { x, y } = placeIn(svg, event);
    drag(x, y);
  });
  target.addEventListener("lostpointercapture", drop);
}

// ---- drawing ------------------------------------------------------------------------------------
// Class names are written whole: the site keeps the rules of those that it finds in a script.
const HUES = ["live-blue", "live-orange", "live-green", "live-purple", "live-yellow", "live-sky"];
const MARKS = ["circle", "square", "triangle", "diamond", "star", "cross"];
const LOOKS = [
  "blue circle",
  "orange square",
  "green triangle",
  "purple diamond",
  "yellow star",
  "sky cross",
];

/** The mark of number j: a shape as well as a hue, of radius r. */
const mark = (j, r) => shapeOf(MARKS[j % MARKS.length], r);

/** One of the shapes of MARKS by its name, of radius r. */
function shapeOf(name, r) {
  if (name === "circle") return make("circle", { r: r * 0.85 });
  const points = {
    square: () => corners(4, Math.PI / 4, r),
    triangle: () => corners(3, 0, r),
    diamond: () => corners(4, 0, r),
    star: () => corners(10, 0, r, r * 0.45),
    cross: () => corners(8, Math.PI / 4, r, r * 0.35),
  }[name]();
  return make("polygon", { points });
}

/** The corners of a regular polygon around 0; of a star, if every other one is nearer. */
function corners(n, turn, outer, inner = outer) {
  const corner = (i) => {
    const angle = turn + (2 * Math.PI * i) / n;
    const length = i % 2 ? inner : outer;
    return `${(length * Math.sin(angle)).toFixed(1)},${(-length * Math.cos(angle)).toFixed(1)}`;
  };
  return range(n).map(corner).join(" ");
}

/**
 * A letter in a disc, as the look of a handle: it stays in a plane, and no label of its own lies
 * over another.
 */
function badge(letter, square) {
  const ground = square
    ? make("rect", { x: -10, y: -10, width: 20, height: 20, rx: 2 })
    : make("circle", { r: 11 });
  const text = make("text", { y: 5, "text-anchor": "middle" }, letter);
  return make("g", { class: "live-badge" }, ground, text);
}

/**
 * A handle: a group that has the focus, is dragged and takes arrow keys. Returns `put(place, text,
 * numbers)`, which moves it, with the group as `put.element`. `go(x, y)` receives the place in the
 * coordinates of `svg`; `step(dx, dy)` the steps of the arrow keys; `drop()` is called when the
 * pointer lets it go.
 */
function handle(svg, label, hue, shape, go, step, drop) {
  const target = make("circle", { class: "live-target", r: 16 });
  const look = { class: `live-handle ${hue}`, tabindex: 0, role: "slider", "aria-label": label };
  const group = make("g", look, target, shape);
  draggable(group, svg, go, drop);
  arrows(group, step);
  svg.append(group);
  const put = ([x, y], text, { now, min, max }) =>
    set(group, {
      transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`,
      "aria-valuetext": text,
      "aria-valuenow": now,
      "aria-valuemin": min,
      "aria-valuemax": max,
    });
  return Object.assign(put, { element: group });
}

/** Places as a pointer has them, for what is dragged in no drawing. */
const SCREEN = { getScreenCTM: () => new DOMMatrix() };

/** A disc with arrows that say which way it is dragged; it has the focus and takes arrow keys. */
function grip(label, arrow, step) {
  const element = make("span", {
    class: "live-grip",
    tabindex: 0,
    role: "slider",
    "aria-label": label,
    "data-arrow": arrow,
  });
  arrows(element, step);
  return element;
}

/**
 * A square plane from -reach to reach with a grid, and a margin for handles on its rim. `px` turns
 * a point into the coordinates of `svg`; `point` back.
 */
function plane(title, reach, margin = 0) {
  const size = 300;
  const unit = size / (2 * reach);
  const middle = size / 2;
  const grid = range(2 * reach - 1).flatMap((i) => {
    const t = i + 1 - reach;
    const at = middle + t * unit;
    const look = { class: t ? "live-grid" : "live-axis" };
    return [
      make("line", { ...look, x1: at, x2: at, y1: 0, y2: size }),
      make("line", { ...look, x1: 0, x2: size, y1: at, y2: at }),
    ];
  });
  const whole = size + 2 * margin;
  const box = `${-margin} ${-margin} ${whole} ${whole}`;
  const svg = make("svg", { viewBox: box, role: "group", "aria-label": title }, grid);
  const px = ([x, y]) => [middle + x * unit, middle - y * unit];
  const point = (x, y) => [(x - middle) / unit, (middle - y) / unit];
  /**
   * A handle for a point of the plane, which `move` receives in hundredths, from -most to most; arrow
   * keys go by 0.1. A slider has one axis for those who listen, so it says what the other keys do.
   */
  const pointHandle = (label, hue, shape, move, most = reach) => {
    let here = [0, 0];
    const go = (p) => move(p.map((c) => clamp(hundredth(c), -most, most)));
    const step = (dx, dy) => go([here[0] + dx / 10, here[1] + dy / 10]);
    const put = handle(svg, label, hue, shape, (x, y) => go(point(x, y)), step);
    set(put.element, { "aria-description": "left and right change x, up and down change y" });
    return (p) => {
      here = p;
      const bounds = { now: p[0].toFixed(2), min: -most, max: most };
      put(px(p), `x ${show(p[0])}, y ${show(p[1])}`, bounds);
    };
  };
  const element = div("live-plane", div("live-title", title), svg);
  return { element, svg, px, point, pointHandle };
}

/**
 * The corners of the convex hull, counterclockwise from the leftmost; no three of them on a line.
 */
function convexHull(points) {
  const order = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const turn = ([a, b], [c, d], [e, f]) => (c - a) * (f - b) - (d - b) * (e - a);
  const half = (list) => {
    const chain = [];
    for (const point of list) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(order), ...half(order.reverse())];
}

/** Calls `act(width)` when a drawing has another width, and so has to be drawn anew. */
function followWidth(svg, act) {
  let was = 0;
  new ResizeObserver(() => {
    const now = svg.clientWidth;
    if (!now || now === was) return;
    was = now;
    act(now);
  }).observe(svg);
}

/** A place on the screen in the coordinates of `svg`. */
const placeIn = (svg, { clientX, clientY }) =>
  new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());

// ---- controls -----------------------------------------------------------------------------------
/** A button. */
const button = (label, act) =>
  make("button", { type: "button", class: "live-button", onclick: act }, label);

/** A control behind its label. */
function control(label, input, id, ...rest) {
  return div("live-control", make("label", { for: id }, label), input, ...rest);
}

/** A list of options, {value: text}, of which one is chosen. */
function choice(label, options, act) {
  const id = newId();
  const entries = Object.entries(options).map(([value, text]) => make("option", { value }, text));
  const select = make("select", { id, onchange: () => act(select.value) }, entries);
  const put = (value) => {
    select.value = value;
  };
  const open = (yes) => {
    select.disabled = !yes;
  };
  return { element: control(label, select, id), put, open };
}

/** A slider, and beside it what `text(x)` says of its number. */
function slider(label, { min, max, step, text }, act) {
  const id = newId();
  const widest = Math.max(...[min, max].map((x) => text(x).length));
  const output = make("output", {
    for: id,
    style: `min-width: ${widest}ch`, // it moves nothing
    "aria-live": "off", // the slider says its value itself
  });
  const oninput = () => act(Number(input.value));
  const input = make("input", { type: "range", id, min, max, step, oninput });
  holdWhileScrolling(input, oninput);
  const put = (x) => {
    input.value = x;
    write(output, text(x));
    set(input, { "aria-valuetext": text(x) });
  };
  return { element: control(label, input, id, output), put };
}

/** Takes back what a finger changed on its way, where it scrolls the page and meant no slider. */
function holdWhileScrolling(input, act) {
  let before;
  input.addEventListener("pointerdown", () => {
    before = input.value;
  });
  input.addEventListener("pointercancel", () => {
    input.value = before;
    act();
  });
}

/** A button that is pressed or not; `act(pressed)` is called when that changes. */
function toggle(label, act) {
  const element = button(label, () => {
    put(element.getAttribute("aria-pressed") !== "true");
  });
  const put = (pressed) => {
    set(element, { "aria-pressed": pressed });
    act(pressed);
  };
  set(element, { "aria-pressed": false });
  return element;
}

/**
 * A number that can be typed once `open(true)` was called: fields that are always open would all be
 * stops for Tab. A number out of range is refused; where `act` lets it come only part of the way,
 * the figure says so.
 */
function field(label, reach, act, least = -reach) {
  let here = 0;
  const name = `${label[0].toUpperCase()}${label.slice(1)}`;
  const onchange = () => {
    const x = input.valueAsNumber;
    const inside = x >= least && x <= reach;
    if (inside) act(x);
    fill(here);
    sayRefused(input.closest(".live-figure"), inside ? notPossible(x) : outside());
  };
  const outside = () => `${name}: type a number from ${typeset(least)} to ${typeset(reach)}.`;
  const notPossible = (x) => {
    if (Math.abs(here - x) <= 0.006) return "";
    return `${name}: ${typeset(x)} is not possible here, and it is now ${typeset(input.value)}.`;
  };
  const input = make("input", {
    type: "number",
    step: 0.1,
    min: least,
    max: reach,
    class: "live-number",
    disabled: "",
    "aria-label": label,
    onchange,
  });
  const fill = (x) => {
    input.value = +x.toFixed(3);
  };
  const put = (x) => {
    here = x;
    if (document.activeElement !== input) fill(x);
  };
  const open = (yes) => {
    input.disabled = !yes;
  };
  return { element: input, put, open };
}

/** Says why a number is not taken, in a line of its own below what the figure says. */
function sayRefused(figure, text) {
  let line = figure.querySelector(".live-refused");
  if (!line && !text) return;
  line ||= figure.appendChild(make("p", { class: "live-refused live-fails", role: "status" }));
  write(line, text);
}

/**
 * Words and signs between spaces, Chinese characters one by one. What is space in Python or here is
 * space in both.
 */
// deno-lint-ignore no-control-regex
const SPLIT = /[\u3400-\u9fff]|[^\s\x1c-\x1f\x85\ufeff\u3400-\u9fff]+/g;
const split = (text) => text.match(SPLIT) || ["…"];

/** Whether a text can be read: half of a surrogate pair is no letter. */
const isReadable = (text) => !/\p{Surrogate}/u.test(text);

/** A word of at most so many letters, the last of which stands for those that are left out. */
const clipped = (word, most = 12) => word.length > most ? `${word.slice(0, most - 1)}…` : word;

// ---- cards --------------------------------------------------------------------------------------
/**
 * The sentence of a state as tiles, which are dragged, moved by arrow keys, or, with `swaps`, tapped
 * to change one word into another; `shown` are its words as a reader sees them. `put(words)` writes
 * them, and each flies from where it was; `reorder(order, rest)` gives position i word order[i];
 * `lay(sentence)` puts the same words in another order.
 */
function tileRow(read, change, { swaps = null, shown = {} } = {}) {
  const wordsNow = () => read().sentence.split(" ");
  const still = range(wordsNow().length);
  let came = still; // where each word was before the change that is being drawn
  const reorder = (order, rest = {}) => {
    const words = wordsNow();
    came = order;
    change({ sentence: order.map((p) => words[p]).join(" "), ...rest });
    came = still;
  };
  const place = (from, to) => {
    const there = clamp(to, 0, tiles.length - 1);
    if (there !== from) reorder(shifted(still, from, there));
    tiles[there].focus({ preventScroll: true });
  };
  const swapOne = (i) => {
    const words = wordsNow().map((word, k) => (k === i && swaps[word]) || word);
    change({ sentence: words.join(" ") });
  };
  const swap = swaps ? swapOne : null;
  const tiles = still.map((i) => tile(i, still.length, place, swap));
  const names = { class: "live-tiles", role: "group", "aria-label": "The words of the sentence" };
  const row = make("div", names, tiles);
  dragTiles(row, tiles, place, swap);
  const put = (words) =>
    words.forEach((word, i) => putTile(tiles, i, word, shown[word] ?? word, came[i]));
  const lay = (sentence) => reorder(placesOf(sentence.split(" "), wordsNow()));
  return { row, put, reorder, lay };
}

/** Where the words of one order stand in another; equal words keep their order. */
function placesOf(words, others) {
  const left = others.map((word, i) => ({ word, i }));
  return words.map((word) => left.splice(left.findIndex((one) => one.word === word), 1)[0].i);
}

/** Tile i of n, which arrow keys move, and Enter, Space, or arrows up and down change. */
function tile(i, n, place, swap) {
  const element = make("span", {
    class: "live-chip",
    tabindex: 0,
    role: "slider",
    "aria-valuemin": 1,
    "aria-valuenow": i + 1,
    "aria-valuemax": n,
  });
  arrows(element, (dx, dy) => {
    if (dx || !swap || Math.abs(dy) > 1) place(i, i + (dx || dy));
    else swap(i);
  });
  element.addEventListener("keydown", (event) => {
    if (!swap || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    swap(i);
  });
  return element;
}

/** Lets a pointer drag tiles. The row listens: a word leaves its tile when it moves. */
function dragTiles(row, tiles, place, swap) {
  let held = -1;
  let moved = false;
  row.addEventListener("pointerdown", (event) => {
    held = event.button ? -1 : tiles.indexOf(event.target);
    moved = false;
    if (held < 0) return;
    event.preventDefault();
    tiles[held].focus({ preventScroll: true });
    row.setPointerCapture(event.pointerId);
  });
  row.addEventListener("pointermove", ({ clientX }) => {
    if (held < 0) return;
    const { left, width } = row.getBoundingClientRect();
    const to = clamp(Math.floor((tiles.length * (clientX - left)) / width), 0, tiles.length - 1);
    if (to === held) return;
    moved = true;
    place(held, to);
    held = to;
  });
  row.addEventListener("pointerup", () => {
    if (swap && held >= 0 && !moved) swap(held);
  });
  row.addEventListener("lostpointercapture", () => {
    held = -1;
  });
}

/** Writes a word by its name into tile i, and lets it fly from tile `from`, where it was. */
function putTile(tiles, i, word, name, from) {
  const N = tiles.length;
  write(tiles[i], name);
  set(tiles[i], {
    "data-word": word,
    "aria-label": name,
    "aria-valuetext": `${name}, position ${i + 1} of ${N}`,
  });
  const dx = tiles[from].offsetLeft - tiles[i].offsetLeft;
  if (!dx || calm()) return;
  const flight = { translate: [`${dx}px 0`, "0 0"] };
  tiles[i].animate(flight, { duration: 300, easing: "ease-out" });
}

/** Lets the cards of a figure nod until the reader does something. */
function nod(el) {
  el.classList.add("live-idle");
  for (const kind of ["pointerdown", "keydown", "focusin"]) {
    el.addEventListener(kind, () => el.classList.remove("live-idle"), { once: true });
  }
}

// ---- text ---------------------------------------------------------------------------------------
/**
 * A sentence that a screen reader speaks once the reader has stopped for a moment. It is gone a
 * moment later: who reads on finds it as the message of the figure, and only there.
 */
function speaker(el) {
  const spoken = make("div", { class: "live-spoken", role: "status" });
  el.append(spoken);
  let timer;
  return (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      write(spoken, text);
      timer = setTimeout(() => write(spoken, ""), 5000);
    }, 400);
  };
}

/** What to do first, above the figure. */
const hintLine = (...text) => make("p", { class: "live-hint" }, text);

/** The sentence of the figure. */
const messageLine = () => make("p", { class: "live-verdict" });

/** Writes the sentence of the figure, and behind it in a look of its own what the reader has found. */
function tellFound(line, now, found = "") {
  const text = paragraph(now, found);
  if (line.textContent === text) return;
  const mark = found ? make("mark", { class: "live-found" }, found) : "";
  line.replaceChildren(text.slice(0, text.length - found.length), mark);
}

/** The equations of the figure, each made by `verdict`. */
const verdictList = () => make("ul", { class: "live-verdicts" });

const EXACT = 1e-12; // below this, two computations in double precision give the same number

/** An equation that holds, or does not and by how much its sides differ. */
function verdict(left, right, gap) {
  return gap <= EXACT
    ? make("li", { class: "live-holds" }, `✓ ${left} = ${right}`)
    : make("li", { class: "live-fails" }, `${left} ≠ ${right} · largest difference ${tiny(gap)}`);
}

/**
 * Elements in one place, of which `show(element)` lets one be seen: the room is that of the largest,
 * so that nothing moves when another one takes its turn.
 */
function stack(...elements) {
  const element = div("live-stack", elements);
  const show = (seen) => elements.forEach((one) => one.toggleAttribute("data-away", one !== seen));
  show(elements[0]);
  return { element, show };
}

/** As much room as a text takes, without the text. */
const roomFor = (text) => make("p", { class: "live-room", "data-room": text });

/**
 * Hides the results until a choice is checked or passed over; then calls `done`. `ask` may be null.
 * The box keeps its size: the reason of an answer has its room from the beginning.
 */
function predictFirst(el, ask, done) {
  if (!ask?.options) return;
  const why = make("p", { class: "live-why", role: "status" });
  const name = newId();
  const remark = (i) => `${i === ask.answer ? "✓ Right." : "✗ Not quite."} ${ask.why[i]}`;
  const isOpen = () => el.classList.contains("live-asking");
  const reveal = () => {
    el.classList.remove("live-asking");
    [check, skip].forEach((one) => one.remove());
    foot.show(why);
    set(options[ask.answer], { "data-right": "" });
    done();
  };
  const choose = (i) => {
    check.disabled = false;
    if (!isOpen()) write(why, remark(i));
  };
  const options = ask.options.map((text, i) => {
    const input = make("input", { type: "radio", name, value: i, onchange: () => choose(i) });
    return make("label", {}, input, " ", text);
  });
  const check = button("Check", () => {
    const chosen = box.querySelector(":checked");
    write(why, remark(Number(chosen.value)));
    chosen.focus(); // the button goes
    reveal();
  });
  set(check, { disabled: "" });
  const pass = () => {
    write(why, ask.why[ask.answer]);
    reveal();
  };
  const skip = set(button("Show without answering", pass), { "data-skip": "" });
  const buttons = div("live-row", check, skip);
  const foot = stack(buttons, why, ...ask.why.map((_text, i) => roomFor(remark(i))));
  el.classList.add("live-asking");
  const question = make("legend", {}, `Predict first. ${ask.question}`);
  const box = make("fieldset", { class: "live-ask" }, question, options, foot.element);
  el.prepend(box);
}

/**
 * What every figure has beside its own: the question before the result, the sentence that is
 * spoken, and `update` when the state changes; `reveal` is called once the question is answered.
 * Returns `speak`.
 */
function setUp(model, el, update, reveal = update) {
  predictFirst(el, model.get("ask"), reveal);
  model.on("change:state", update);
  return speaker(el);
}

/**
 * The `render` of a figure, composed of its parts. `build(stage)` puts elements into `el` once and
 * returns those that change, a paragraph `message` among them, and `reveal()` if an answer does more
 * than show the result; `update()` is added to them, for what is no part of the state. After every
 * change of the state `draw(parts, state, result, stage)` writes what `compute` returns into them, and
 * `speak(state, result, stage)` returns the sentence of the figure, which is also spoken, or
 * `[now, found]`: what is so now, and what the reader has found. The stage
 * holds `model`, `el`, `read()`, `change(part)`, the state `first` at the beginning, whether the
 * results are `hidden` because the reader has not answered yet, and for `speak` also the parts.
 */
const composed = ({ compute, build, draw, speak }) => ({ model, el }) => {
  const [read, change] = stateOf(model);
  const stage = { model, el, read, change, first: read() };
  const parts = build(stage);
  const update = () => {
    const state = read();
    const result = compute(state);
    stage.hidden = el.classList.contains("live-asking");
    draw(parts, state, result, stage);
    const [now, found] = [speak(state, result, { ...stage, ...parts })].flat();
    if (parts.message) tellFound(parts.message, now, found);
    say(paragraph(now, found));
  };
  const say = setUp(model, el, update, parts.reveal);
  parts.update = update; // for what is no part of the state
  update();
};

// ---- tables -------------------------------------------------------------------------------------
/** What scrolls sideways can be reached by Tab; what does not scroll is no stop. */
function scroller(box) {
  const measure = () => set(box, { tabindex: box.scrollWidth > box.clientWidth ? 0 : null });
  new ResizeObserver(measure).observe(box.firstElementChild);
  return box;
}

/**
 * A matrix as a table, which shows what compute calls `shows`; `put(M, rows, columns, options)`
 * writes M in place. With `keys` and `columnKeys` a cell that was elsewhere flies to its new place.
 * `changed(i, j)` underlines a cell; `digits` is what is shown of a number.
 */
function matrix(title, shows) {
  const head = make("tr");
  const body = make("tbody");
  const caption = make("caption", {}, title);
  const table = make("table", {}, caption, make("thead", {}, head), body);
  const element = scroller(make("div", { class: "live-matrix", "data-shows": shows }, table));
  let was = null;
  let last = -FLIGHT;

  const reshape = (rows, columns) => {
    const heading = (scope) => make("th", { scope });
    const cell = () => make("td", { class: "live-cell" });
    head.replaceChildren(make("td"), ...columns.map(() => heading("col")));
    body.replaceChildren(...rows.map(() => make("tr", {}, heading("row"), columns.map(cell))));
  };
  const put = (M, rows, columns, options = {}) => {
    const { keys = range(M.length), columnKeys = range(M[0].length) } = options;
    const shape = `${rows.length} ${columns.length}`;
    if (was?.shape !== shape) {
      reshape(rows, columns);
      was = null;
    }
    columns.forEach((text, j) => write(head.children[j + 1], text));
    rows.forEach((text, i) => write(body.children[i].firstChild, text));
    fillCells(body, M, options);
    const now = performance.now();
    const settled = now - last > FLIGHT; // whoever is faster than that sees the cells jump
    last = now;
    if (was && settled && !calm()) {
      const from = keys.map((key) => was.keys.indexOf(key));
      flyCells(body, from, columnKeys.map((key) => was.columnKeys.indexOf(key)));
    }
    was = { shape, keys: [...keys], columnKeys: [...columnKeys] };
  };
  return { element, body, caption, put };
}

const FLIGHT = 350; // for so many milliseconds a cell flies to its new place

/** Writes the numbers of a matrix into its cells, each as dark as it is large. */
function fillCells(body, M, { digits = 2, changed }) {
  const limit = Math.max(...M.flat().map(Math.abs), 1e-9);
  const fill = (td, x, differs) => {
    write(td, show(x, digits));
    td.classList.toggle("live-minus", x < 0);
    const much = (Math.abs(x) / limit).toFixed(2);
    if (td.dataset.much !== much) {
      td.dataset.much = much;
      td.style.setProperty("--much", much);
    }
    td.toggleAttribute("data-changed", Boolean(differs));
  };
  M.forEach((row, i) => {
    row.forEach((x, j) => fill(body.children[i].children[j + 1], x, changed?.(i, j)));
  });
}

/** Lets every cell fly from row `from[i]` and column `left[j]`, where it was, to where it is. */
function flyCells(body, from, left) {
  const { offsetWidth: width, offsetHeight: height } = body.querySelector(".live-cell");
  const move = (node, dx, dy) => {
    if (!dx && !dy) return;
    const there = { transform: `translate(${dx * width}px, ${dy * height}px)` };
    node.animate([there, { transform: "none" }], { duration: FLIGHT, easing: "ease-out" });
  };
  const whole = left.every((l, j) => l === j); // then a row travels as one
  from.forEach((f, i) => {
    const row = body.children[i];
    if (whole) move(row, 0, f - i);
    else left.forEach((l, j) => move(row.children[j + 1], l - j, f - i));
  });
}
