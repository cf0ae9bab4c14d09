// The parts that figures are made of: handles that a pointer, a finger or the arrow keys move, controls, tables, text
// that is spoken, and the question before the result.

// ---- moving --------------------------------------------------------------------------------------------------------
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], Home: [-999, 0],
  End: [999, 0], PageUp: [0, 5], PageDown: [0, -5] };

/** Calls `move(dx, dy)` with steps of ±1 for arrow keys, ±5 with Shift or for the keys Page; Home and End go as far as
 *  there is. */
function arrows(target, move) {
  target.addEventListener("keydown", (event) => {
    if (!Object.hasOwn(STEPS, event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // a notebook would go to another cell
    move(...STEPS[event.key].map((step) => step * (event.shiftKey ? 5 : 1)));
  });
}

/** Calls `drag(x, y)`, in the coordinates of `svg`, while a pointer holds `target`, and `drop()` at the end. */
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
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    drag(place.x, place.y);
  });
  target.addEventListener("lostpointercapture", drop);
}

// ---- drawing -------------------------------------------------------------------------------------------------------
// Class names are written whole: the site keeps the rules of those that it finds in a script.
const HUES = ["live-blue", "live-orange", "live-green", "live-purple", "live-yellow", "live-sky"];
const MARKS = ["circle", "square", "triangle", "diamond", "star", "cross"];
const LOOKS = ["blue circle", "orange square", "green triangle", "purple diamond", "yellow star", "sky cross"];

/** The mark of number j: a shape as well as a hue, of radius r. */
function mark(j, r) {
  const corners = (n, turn, inner = r) => range(inner < r ? 2 * n : n).map((i) => {
    const angle = turn + (2 * Math.PI * i) / (inner < r ? 2 * n : n), length = i % 2 ? inner : r;
    return `${(length * Math.sin(angle)).toFixed(1)},${(-length * Math.cos(angle)).toFixed(1)}`;
  }).join(" ");
  const shape = MARKS[j % MARKS.length];
  if (shape === "circle") return make("circle", { r: r * 0.85 });
  if (shape === "cross") return make("polygon", { points: corners(4, Math.PI / 4, r * 0.35) });
  if (shape === "star") return make("polygon", { points: corners(5, 0, r * 0.45) });
  const [n, turn] = { square: [4, Math.PI / 4], triangle: [3, 0], diamond: [4, 0] }[shape];
  return make("polygon", { points: corners(n, turn) });
}

/** A letter in a disc, as the look of a handle: it stays in a plane, and no label of its own lies over another. */
const badge = (letter, square) => make("g", { class: "live-badge" },
  square ? make("rect", { x: -10, y: -10, width: 20, height: 20, rx: 2 }) : make("circle", { r: 11 }),
  make("text", { y: 5, "text-anchor": "middle" }, letter));

/** A handle: a group that has the focus, is dragged and takes arrow keys. Returns `put(place, text)`, which moves it.
 *  `go(x, y)` receives the place in the coordinates of `svg`; `step(dx, dy)` the steps of the arrow keys. */
function handle(svg, label, hue, shape, go, step) {
  const target = make("circle", { class: "live-target", r: 16 });
  const look = { class: `live-handle ${hue}`, tabindex: 0, role: "slider", "aria-label": label };
  const group = make("g", look, target, shape);
  draggable(group, svg, go);
  arrows(group, step);
  svg.append(group);
  return ([x, y], text, { now, min, max }) => set(group, { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`,
    "aria-valuetext": text, "aria-valuenow": now, "aria-valuemin": min, "aria-valuemax": max });
}

/** Where the letter of a handle stands so that it stays in a plane from -reach to reach. */
const letterAt = ([x, y], reach) => ({ x: x > reach - 0.7 ? -26 : 8, y: y > reach - 0.7 ? 22 : -8 });

/** A square plane from -reach to reach with a grid, and a margin for handles on its rim. `px` turns a point into the coordinates of `svg`; `point` back. */
function plane(title, reach, margin = 0) {
  const size = 300, unit = size / (2 * reach), middle = size / 2, lines = [], whole = size + 2 * margin;
  for (let t = 1 - reach; t < reach; t++) {
    const at = middle + t * unit, look = { class: t ? "live-grid" : "live-axis" };
    lines.push(make("line", { ...look, x1: at, x2: at, y1: 0, y2: size }));
    lines.push(make("line", { ...look, x1: 0, x2: size, y1: at, y2: at }));
  }
  const box = `${-margin} ${-margin} ${whole} ${whole}`;
  const svg = make("svg", { viewBox: box, role: "group", "aria-label": title }, lines);
  const px = ([x, y]) => [middle + x * unit, middle - y * unit];
  const point = (x, y) => [(x - middle) / unit, (middle - y) / unit];
  /** A handle for a point of the plane, which `move` receives in hundredths; arrow keys go by 0.1. */
  const pointHandle = (label, hue, shape, move) => {
    let here = [0, 0];
    const go = (p) => move(p.map((c) => clamp(hundredth(c), -reach, reach)));
    const step = (dx, dy) => go([here[0] + dx / 10, here[1] + dy / 10]);
    const put = handle(svg, label, hue, shape, (x, y) => go(point(x, y)), step);
    return (p) => {
      here = p;
      put(px(p), `x ${show(p[0])}, y ${show(p[1])}`, { now: p[0].toFixed(2), min: -reach, max: reach });
    };
  };
  const element = make("div", { class: "live-plane" }, make("div", { class: "live-title" }, title), svg);
  return { element, svg, px, point, pointHandle };
}

/** The corners of the convex hull, counterclockwise from the leftmost; no three of them on a line. */
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

// ---- controls ------------------------------------------------------------------------------------------------------
const button = (label, act) => make("button", { type: "button", class: "live-button", onclick: act }, label);

function control(label, input, id, ...rest) {
  return make("div", { class: "live-control" }, make("label", { for: id }, label), input, ...rest);
}

function choice(label, options, act) {
  const id = newId(), entries = Object.entries(options).map(([value, text]) => make("option", { value }, text));
  const select = make("select", { id, onchange: () => act(select.value) }, entries);
  return { element: control(label, select, id), put: (value) => { select.value = value; } };
}

function slider(label, { min, max, step, text }, act) {
  const id = newId(), widest = Math.max(...[min, max].map((x) => text(x).length));
  const output = make("output", { for: id, style: `min-width: ${widest}ch` }); // nothing beside it moves
  const input = make("input", { type: "range", id, min, max, step, oninput: () => act(Number(input.value)) });
  const put = (x) => { input.value = x; write(output, text(x)); set(input, { "aria-valuetext": text(x) }); };
  return { element: control(label, input, id, output), put };
}

/** A button that is pressed or not; `act(pressed)` is called when that changes. */
function toggle(label, act) {
  const element = button(label, () => { put(element.getAttribute("aria-pressed") !== "true"); });
  const put = (pressed) => { set(element, { "aria-pressed": pressed }); act(pressed); };
  set(element, { "aria-pressed": false });
  return element;
}

/** A number that can be typed once `open(true)` was called: fields that are always open would all be stops for Tab.
 *  A number out of range is refused; where `act` lets it come only part of the way, the figure says so. */
function field(label, reach, act, least = -reach) {
  let here = 0;
  const typed = () => {
    const x = input.valueAsNumber, inside = x >= least && x <= reach, name = `${label[0].toUpperCase()}${label.slice(1)}`;
    if (inside) act(x);
    fill(here);
    say(!inside ? `${name}: type a number from ${typeset(least)} to ${typeset(reach)}.`
      : Math.abs(here - x) > 0.006 ? `${name}: ${typeset(x)} is not possible here, and it is now ${typeset(input.value)}.` : "");
  };
  const say = (text) => { // in a line of its own, below what the figure says
    const figure = input.closest(".live-figure"), line = figure.querySelector(".live-refused");
    if (line || text) write(line || figure.appendChild(make("p", { class: "live-refused live-fails", role: "status" })), text);
  };
  const input = make("input", { type: "number", step: 0.1, min: least, max: reach, class: "live-number", disabled: "",
    "aria-label": label, onchange: typed });
  const fill = (x) => { input.value = +x.toFixed(3); };
  const put = (x) => { here = x; if (document.activeElement !== input) fill(x); };
  return { element: input, put, open: (yes) => { input.disabled = !yes; } };
}

/** Words and signs between spaces, Chinese characters one by one. What is space in Python or here is space in both. */
const split = (text) => text.match(/[\u3400-\u9fff]|[^\s\x1c-\x1f\x85\ufeff\u3400-\u9fff]+/g) || ["…"];

// ---- text ----------------------------------------------------------------------------------------------------------
/** A sentence that a screen reader speaks once the reader has stopped for a moment. */
function speaker(el) {
  const spoken = make("div", { class: "live-spoken", role: "status" });
  el.append(spoken);
  let timer;
  return (text) => { clearTimeout(timer); timer = setTimeout(() => write(spoken, text), 400); };
}

const EXACT = 1e-12; // below this, two computations in double precision give the same number

/** An equation that holds, or does not and by how much its sides differ. */
function verdict(left, right, gap) {
  return gap <= EXACT ? make("li", { class: "live-holds" }, `✓ ${left} = ${right}`)
    : make("li", { class: "live-fails" }, `${left} ≠ ${right} · largest difference ${tiny(gap)}`);
}
/** Hides the results until a choice is checked or passed over; then calls `done`. `ask` may be null. */
function predictFirst(el, ask, done) {
  if (!ask?.options) return;
  const why = make("p", { class: "live-why", role: "status" }), name = newId();
  const reveal = () => {
    el.classList.remove("live-asking");
    [check, skip].forEach((one) => one.remove());
    set(options[ask.answer], { "data-right": "" });
    done();
  };
  const choose = (i) => { check.disabled = false; if (!check.isConnected) reason(i); };
  const reason = (i) => write(why, `${i === ask.answer ? "✓ Right." : "✗ Not quite."} ${ask.why[i]}`);
  const options = ask.options.map((text, i) =>
    make("label", {}, make("input", { type: "radio", name, value: i, onchange: () => choose(i) }), " ", text));
  const check = set(button("Check", () => {
    const chosen = box.querySelector(":checked");
    reason(Number(chosen.value));
    chosen.focus(); // the button goes
    reveal();
  }), { disabled: "" }), skip = set(button("Show without answering", reveal), { "data-skip": "" });
  el.classList.add("live-asking");
  const question = make("legend", {}, `Predict first. ${ask.question}`);
  const box = make("fieldset", { class: "live-ask" }, question, options, check, skip, why);
  el.prepend(box);
}

/** What every figure has beside its own: the question before the result, the sentence that is spoken, and `update` when
 *  the state changes. Returns `speak`. */
function setUp(model, el, update) {
  predictFirst(el, model.get("ask"), update);
  model.on("change:state", update);
  return speaker(el);
}

// ---- tables --------------------------------------------------------------------------------------------------------
/** What scrolls sideways can be reached by Tab; what does not scroll is no stop. */
function scroller(box) {
  const measure = () => set(box, { tabindex: box.scrollWidth > box.clientWidth ? 0 : null });
  new ResizeObserver(measure).observe(box.firstElementChild);
  return box;
}

/** A matrix as a table, which shows what compute calls `shows`; `put(M, rows, columns, options)` writes M in place.
 *  With `keys` and `columnKeys` a cell that was elsewhere flies to its new place. `changed(i, j)` underlines a cell;
 *  `digits` is what is shown of a number. */
function matrix(title, shows) {
  const head = make("tr"), body = make("tbody"), caption = make("caption", {}, title);
  const table = make("table", {}, caption, make("thead", {}, head), body);
  const element = scroller(make("div", { class: "live-matrix", "data-shows": shows }, table));
  let was = null, last = -1e9;
  const cells = (count) => range(count).map(() => make("td", { class: "live-cell" }));
  const fill = (td, x, limit, digits, changed) => {
    write(td, show(x, digits));
    td.classList.toggle("live-minus", x < 0);
    const much = (Math.abs(x) / limit).toFixed(2);
    if (td.dataset.much !== much) { td.dataset.much = much; td.style.setProperty("--much", much); }
    td.toggleAttribute("data-changed", Boolean(changed));
  };
  const fly = (keys, columnKeys) => {
    const from = keys.map((key) => was.keys.indexOf(key));
    const left = columnKeys.map((key) => was.columnKeys.indexOf(key));
    const { offsetWidth: width, offsetHeight: height } = body.querySelector(".live-cell");
    const move = (node, dx, dy) => {
      const there = { transform: `translate(${dx * width}px, ${dy * height}px)` };
      if (dx || dy) node.animate([there, { transform: "none" }], { duration: 350, easing: "ease-out" });
    };
    const whole = left.every((l, j) => l === j); // then a row travels as one
    from.forEach((f, i) => whole ? move(body.children[i], 0, f - i)
      : left.forEach((l, j) => move(body.children[i].children[j + 1], l - j, f - i)));
  };
  const put = (M, rows, columns, options = {}) => {
    const { digits = 2, changed, keys = range(M.length), columnKeys = range(M[0].length) } = options;
    const shape = `${rows.length} ${columns.length}`;
    if (was?.shape !== shape) {
      head.replaceChildren(make("td"), ...columns.map(() => make("th", { scope: "col" })));
      body.replaceChildren(...rows.map(() => make("tr", {}, make("th", { scope: "row" }), cells(columns.length))));
      was = null;
    }
    columns.forEach((text, j) => write(head.children[j + 1], text));
    const limit = Math.max(...M.flat().map(Math.abs), 1e-9);
    M.forEach((row, i) => {
      write(body.children[i].firstChild, rows[i]);
      row.forEach((x, j) => fill(body.children[i].children[j + 1], x, limit, digits, changed?.(i, j)));
    });
    const now = performance.now(), settled = now - last > 350; // whoever is faster than that sees the cells jump
    last = now;
    if (was && settled && !calm()) fly(keys, columnKeys);
    was = { shape, keys: [...keys], columnKeys: [...columnKeys] };
  };
  return { element, body, caption, put };
}
