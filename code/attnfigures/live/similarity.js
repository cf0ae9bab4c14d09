// Rows of a sinusoidal table: how alike two of them are is a sum of waves, one for each pair of
// columns; and what direction needs.
const LAST = 40;
const COLUMNS = [2, 4, 8, 16, 64];
const FEW = 4; // waves with a name
const frequencies = ({ d, base }) => range(d / 2).map((k) => base ** ((-2 * k) / d));
const rowAt = (omega, t) => omega.flatMap((w) => [Math.sin(w * t), Math.cos(w * t)]);

/** The row p times J, a quarter turn of each pair: (s, c) becomes (c, −s). */
const turned = (p) => p.map((_x, c) => (c % 2 ? -p[c - 1] : p[c + 1]));

// ---- compute -------------------------------------------------------------------------------------

/** The products of row i with all rows, the waves of which they are the sums, and what is at j. */
function compute({ row, other, d, base, turn }) {
  const omega = frequencies({ d, base });
  const table = range(LAST + 1).map((t) => rowAt(omega, t));
  const between = turn ? turned : (p) => p;
  const products = table.map((p) => dot(between(table[row]), p));
  const product = products[other];
  const wave = turn ? Math.sin : Math.cos;
  const parts = omega.map((w) => wave(w * (other - row)));
  return {
    waves: omega.map((w) => range(2 * LAST + 1).map((t) => wave(w * (t / 2 - row)))),
    products,
    product,
    adds: omega.map((w, k) => [w, parts[k]]),
    sumGap: Math.abs(product - total(parts)),
    symmetryGap: Math.abs(product - (turn ? -1 : 1) * dot(between(table[other]), table[row])),
    rival: rivalOf(omega, row, other),
  };
}

/** The distance of the most similar of the rows that are farther away than the other one; else 0. */
function rivalOf(omega, row, other) {
  const alike = (s) => total(omega.map((w) => Math.cos(w * s)));
  const near = Math.abs(other - row);
  const farther = range(Math.max(row, LAST - row) + 1).slice(near + 1);
  const best = farther.reduce((result, s) => (result && alike(result) >= alike(s) ? result : s), 0);
  return best && alike(best) > alike(near) + 1e-9 ? best : 0;
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ row, other, d, base }) =>
  [row, other].every((t) => Number.isInteger(t) && t >= 0 && t <= LAST) &&
  COLUMNS.includes(d) &&
  base >= 1 &&
  base <= 1e6;

// ---- build ---------------------------------------------------------------------------------------
// The waves are at the top of the drawing, from the first pair on; below them stand their sums.

const STEP = 13;
const along = (t) => 20 + STEP * t;
const TOP = 34;
const HIGH = 124;
const LOW = 318;
const REACH = 130; // of the bars, below the waves
const text = (x, y, words, look = "") =>
  make("text", { class: `live-label ${look}`, x, y, "text-anchor": "middle" }, words);

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const plot = buildPlot(read, change);
  const controls = buildControls(change);
  const laws = verdictList();
  const message = messageLine();
  const { between, columns, base } = controls;
  const reset = button("Back to start", () => change(first));
  el.append(
    hintLine(
      "Drag position j (square) away from i. A dashed bar is farther, and yet more similar: where is there none?",
    ),
    div(
      "live-similarity-all",
      make(
        "div",
        {},
        plot.svg,
        div("live-controls", between.element, columns.element, base.element, reset),
      ),
      make("div", {}, message, laws),
    ),
  );
  return { plot, controls, laws, message };
}

/** The waves, the bars of the products, and the handles. */
function buildPlot(read, change) {
  const plot = {
    waves: make("g"),
    lines: HUES.slice(0, 2).map(lineOf),
    count: 0, // of the waves that are drawn
    bars: range(LAST + 1).map(barOf),
    zero: make("line", { class: "live-axis", ...ACROSS }),
    most: text(along(LAST) + 10, LOW - REACH + 5, "", "live-similarity-most"),
    product: set(text(0, 0, "", "live-similarity-product"), { "data-shows": "product" }),
  };
  const limit = make("line", {
    class: "live-axis live-similarity-limit",
    ...ACROSS,
    y1: LOW - REACH,
    y2: LOW - REACH,
  });
  const ticks = range(5).map((k) => text(along(10 * k), LOW + 16, String(10 * k)));
  const { waves, lines, zero, bars, most, product } = plot;
  const look = {
    viewBox: "0 0 600 338",
    role: "group",
    class: "live-similarity",
    "aria-label": "A wave for each pair, and the products of position i with every one",
  };
  const inside = [lines, zero, limit, bars, waves, most, product, ticks];
  const svg = make("svg", look, inside);
  return { ...plot, svg, ...buildHandles(svg, read, change) };
}

const ACROSS = { x1: along(0) - 7, x2: along(LAST) + 7 };
const lineOf = (hue) => make("line", { class: `live-similarity-line ${hue}`, y1: TOP, y2: LOW });
const barOf = (t) => make("rect", { class: "live-similarity-bar", x: along(t) - 5, width: 10 });

/** The handles of the two positions. */
function buildHandles(svg, read, change) {
  const placeAt = (x) => clamp(Math.round((x - along(0)) / STEP), 0, LAST);
  const moved = (part) => [
    (x) => change({ [part]: placeAt(x) }),
    (dx, dy) => change({ [part]: clamp(read()[part] + dx + dy, 0, LAST) }),
  ];
  return {
    putRow: handle(svg, "position i", "live-blue", mark(0, 9), ...moved("row")),
    putOther: handle(svg, "position j", "live-orange", mark(1, 10), ...moved("other")),
  };
}

/** What stands between the rows, how many columns there are, and the base of their frequencies. */
function buildControls(change) {
  const counts = Object.fromEntries(COLUMNS.map((d) => [d, String(d)]));
  const log = { min: 0, max: 6, step: 1, text: (x) => String(Math.round(10 ** x)) };
  const kinds = { false: _("nothing"), true: "a quarter turn J" };
  return {
    columns: choice("numbers d", counts, (d) => change({ d: Number(d) })),
    base: slider(_("base"), log, (x) => change({ base: 10 ** x })),
    between: choice("between the rows", kinds, (yes) => change({ turn: yes === "true" })),
  };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ plot, controls, laws }, state, result, { hidden }) {
  drawWaves(plot, state, result);
  drawPositions(plot, state);
  drawBars(plot, state, result, hidden);
  drawProduct(plot, state, result, hidden);
  controls.columns.put(String(state.d));
  controls.base.put(Math.log10(state.base));
  controls.between.put(String(state.turn));
  laws.replaceChildren(...lawsOf(state, result));
  laws.toggleAttribute("data-away", hidden);
}

/** A wave for each pair around a line of its own, and at position j a stem for what it adds. */
function drawWaves(plot, { other }, { waves, adds }) {
  if (plot.count !== waves.length) plot.waves.replaceChildren(...waves.map(buildWave));
  plot.count = waves.length;
  const room = HIGH / waves.length;
  waves.forEach((wave, k) => {
    const [line, , stem, dot, name] = plot.waves.children[k].children;
    const middle = TOP + room * (k + 0.5);
    const at = (x) => thousandth(middle - 0.44 * room * x);
    const points = wave.map((x, t) => `${along(t / 2)},${at(x)}`).join(" ");
    set(line, { points });
    const here = { x: along(other), y: at(adds[k][1]) };
    set(stem, { x1: here.x, x2: here.x, y1: middle, y2: here.y });
    set(dot, { cx: here.x, cy: here.y });
    write(name.lastChild, short(adds[k][0]));
  });
}

/** The elements of wave k of several: the wave, its middle, a stem, a dot, and its frequency. */
function buildWave(_wave, k, { length }) {
  const middle = TOP + (HIGH / length) * (k + 0.5);
  const shown = make("tspan", { "data-shows": `adds ${k} 0` });
  const name = make("text", {
    class: "live-label live-similarity-speed",
    x: along(LAST),
    y: middle + 15,
  });
  name.append("ω = ", shown);
  set(name, { visibility: length > FEW ? "hidden" : null });
  return make(
    "g",
    {},
    make("polyline", { class: "live-similarity-wave" }),
    make("line", { class: "live-grid", ...ACROSS, y1: middle, y2: middle }),
    make("line", { class: "live-similarity-stem" }),
    make("circle", { class: "live-similarity-dot", r: length > FEW ? 2 : 4 }),
    name,
  );
}

const short = (x) => typeset(Number(x.toPrecision(2)));

/** The lines of both positions, and the handles. */
function drawPositions({ lines, putRow, putOther }, { row: i, other: j }) {
  [i, j].forEach((t, k) => set(lines[k], { x1: along(t), x2: along(t) }));
  putRow([along(i), 16], `position i at ${i}`, { now: i, min: 0, max: LAST });
  putOther([along(j), TOP + HIGH + 18], `position j at ${j}`, { now: j, min: 0, max: LAST });
}

/** A bar for each product, from where 0 is. */
function drawBars({ bars, zero, most }, state, result, hidden) {
  const { other, d, turn } = state;
  const scale = scaleOf(state, result);
  const rival = rivalAt(state, result);
  set(zero, { y1: scale.zero, y2: scale.zero });
  result.products.forEach((x, t) => {
    const high = hundredth((scale.reach * Math.abs(x)) / scale.tallest);
    const y = x < 0 ? scale.zero : hundredth(scale.zero - high);
    set(bars[t], { y, height: hidden ? 0 : high });
    bars[t].classList.toggle("live-similarity-chosen", t === other);
    bars[t].classList.toggle(
      "live-similarity-rival",
      !turn && result.rival > 0 && t === rival,
    );
  });
  write(most, turn ? show(scale.tallest, 1) : String(d / 2));
}

/** Where 0 is, how far bars reach from it, and the largest product; half as far if some are below. */
function scaleOf({ d, turn }, { adds }) {
  const wave = turn ? Math.sin : Math.cos;
  const atOffset = (s) => total(adds.map(([w]) => wave(w * s)));
  const all = range(LAST + 1).map(atOffset);
  const reach = turn || Math.min(...all) < 0 ? REACH / 2 : REACH;
  const tallest = turn ? Math.max(...all.map(Math.abs), 0.1) : d / 2;
  return { reach, tallest, zero: LOW - REACH + reach };
}

/** The position of the rival, on the side on which there is room. */
const rivalAt = ({ row }, { rival }) => row + rival <= LAST ? row + rival : row - rival;

/** The product of the two rows, beside the line of position j. */
function drawProduct({ product }, { other: j }, result, hidden) {
  const [side, by] = j < 34 ? ["start", 18] : ["end", -18];
  set(product, { x: along(j) + by, y: TOP + HIGH + 24, style: `text-anchor: ${side}` });
  write(product, hidden ? "?" : show(result.product, 3));
}

/** The laws that the pairs add up, and that the product has a direction with a quarter turn alone. */
function lawsOf({ row: i, other: j, turn }, { product, sumGap, symmetryGap }) {
  const both = (a, b) => (turn ? `p${low(a)} J p${low(b)}ᵀ` : `p${low(a)}·p${low(b)}`);
  const sum = `Σ ${turn ? "sin" : "cos"} ω(j\u00a0−\u00a0i)`;
  return [
    verdict(`${both(i, j)} = ${show(product, 3)}`, sum, sumGap),
    verdict(both(i, j), turn ? `−${both(j, i)}` : both(j, i), symmetryGap),
  ];
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, result, { hidden }) {
  if (hidden) return "Products are hidden until you have answered.";
  if (state.turn) return ofTurn(result.product);
  const { row, other } = state;
  if (row === other) return "Every position has the same product with itself: 1 for each pair.";
  if (!result.rival) {
    return `No position farther away than ${other} is more similar.`;
  }
  const t = rivalAt(state, result);
  return `Position ${t} is farther away and more similar: ${show(result.products[t], 3)} against ${
    show(result.product, 3)
  }.`;
}

/** What is said of a product with a quarter turn. */
function ofTurn(product) {
  return Math.abs(product) > EXACT
    ? `Exchange the rows, and ${show(product, 3)} becomes ${
      show(-product, 3)
    }: after and before differ.`
    : "Exchange the rows, and nothing changes here.";
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
