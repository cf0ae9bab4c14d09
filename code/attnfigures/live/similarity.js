// Rows of a sinusoidal table: how alike two of them are is a sum of waves, one for each pair of
// columns; and the base with which no row farther away is more alike.
const LAST = 40;
const COLUMNS = [2, 4, 8, 16];
const SAME = 1e-9;
const USUAL = 10000; // the base of Vaswani et al. (2017)
const frequencies = ({ d, base }) => range(d / 2).map((k) => base ** ((-2 * k) / d));
const rowAt = (omega, t) => omega.flatMap((w) => [Math.sin(w * t), Math.cos(w * t)]);

// ---- compute -------------------------------------------------------------------------------------

/** The products of row i with all rows, the waves of which they are the sums, and what is at j. */
function compute({ row, other, d, base }) {
  const omega = frequencies({ d, base });
  const table = range(LAST + 1).map((t) => rowAt(omega, t));
  const products = table.map((p) => dot(table[row], p));
  const product = products[other];
  const parts = omega.map((w) => Math.cos(w * (other - row)));
  const near = Math.abs(other - row);
  const farther = products.map((x, t) => Math.abs(t - row) > near && x > product + SAME);
  return {
    waves: omega.map((w) => range(2 * LAST + 1).map((t) => Math.cos(w * (t / 2 - row)))),
    products,
    product,
    adds: omega.map((w, k) => [w, parts[k]]),
    sumGap: Math.abs(product - total(parts)),
    farther,
    count: farther.filter(Boolean).length,
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ row, other, d, base }) =>
  [row, other].every((t) => Number.isInteger(t) && t >= 0 && t <= LAST) &&
  COLUMNS.includes(d) &&
  base >= 1 &&
  base <= 10 ** POWERS;

// ---- build ---------------------------------------------------------------------------------------
// The waves are at the top of the drawing, from the first pair on; below them stand their sums, and
// below these the bases, from 1 to a million.

const STEP = 13;
const along = (t) => 20 + STEP * t;
const TOP = 34;
const HIGH = 124;
const LOW = 318;
const REACH = 130; // of the bars, below the waves
const BESIDE = along(LAST) + 12; // where names stand
const POWERS = 6; // of ten, that a base can have
const BASES = 402; // the height of the bases
const alongBases = (power) => along((LAST * power) / POWERS);
const text = (x, y, words, look = "") =>
  make("text", { class: `live-label ${look}`, x, y, "text-anchor": "middle" }, words);

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const plot = buildPlot(read, change);
  const counts = Object.fromEntries(COLUMNS.map((d) => [d, String(d)]));
  const columns = choice("numbers d", counts, (d) => change({ d: Number(d) }));
  const laws = verdictList();
  const message = messageLine();
  el.append(
    hintLine("Find a base with which no bar is dashed."),
    plot.svg,
    message,
    laws,
    div("live-controls", columns.element, button("Back to start", () => change(first))),
  );
  return { plot, columns, laws, message };
}

/** The waves, the bars of the products, the bases, and the handles. */
function buildPlot(read, change) {
  const plot = {
    waves: make("g"),
    lines: HUES.slice(0, 2).map(lineOf),
    count: 0, // of the waves that are drawn
    bars: range(LAST + 1).map(() => barOf("live-similarity-bar")),
    tops: range(LAST + 1).map(() => barOf("live-similarity-top")),
    zero: make("line", { class: "live-axis", ...ACROSS }),
    level: make("line", { class: "live-similarity-level", ...ACROSS }),
    most: text(BESIDE, LOW - REACH + 5, "", "live-similarity-beside"),
    product: set(text(BESIDE, 0, "", "live-similarity-beside"), { "data-shows": "product" }),
    bases: buildBases(),
  };
  for (const group of [plot.bars, plot.tops]) {
    group.forEach((bar, t) => set(bar, { x: along(t) - 5 }));
  }
  const limit = make("line", {
    class: "live-axis live-similarity-limit",
    ...ACROSS,
    y1: LOW - REACH,
    y2: LOW - REACH,
  });
  const ticks = range(5).map((k) => text(along(10 * k), LOW + 16, String(10 * k)));
  const omega = text(BESIDE, TOP - 14, "ω", "live-similarity-beside");
  const { waves, lines, zero, level, bars, tops, most, product, bases } = plot;
  const look = {
    viewBox: "0 0 620 446",
    role: "group",
    class: "live-similarity",
    "aria-label": "A wave for each pair, and the products of position i with every one",
  };
  const sums = [zero, limit, bars, tops, level, most, product, ticks];
  const svg = make("svg", look, lines, sums, omega, waves, bases.element);
  return { ...plot, svg, ...buildHandles(svg, read, change) };
}

const ACROSS = { x1: along(0) - 7, x2: along(LAST) + 7 };
const lineOf = (hue) => make("line", { class: `live-similarity-line ${hue}`, y1: TOP, y2: LOW });
const barOf = (look) => make("rect", { class: look, width: 10 });

/** The bases on a line of powers of ten, with a stem for what was found with each that was tried. */
function buildBases() {
  const tried = make("path", { class: "live-similarity-tried" });
  const free = make("path", { class: "live-similarity-free" });
  const axis = make("line", { class: "live-axis", ...ACROSS, y1: BASES, y2: BASES });
  const marks = range(POWERS + 1).map((power) =>
    text(alongBases(power), BASES + 40, power < 4 ? String(10 ** power) : `10${high(power)}`)
  );
  const name = text(ACROSS.x1, BASES - 44, "", "live-similarity-base");
  const element = make("g", {}, axis, marks, name, tried, free);
  return { element, tried, free, name, found: new Map(), about: "" };
}

/** The handles of the two positions, and that of the base. */
function buildHandles(svg, read, change) {
  const placeAt = (x) => clamp(Math.round((x - along(0)) / STEP), 0, LAST);
  const moved = (part) => [
    (x) => change({ [part]: placeAt(x) }),
    (dx, dy) => change({ [part]: clamp(read()[part] + dx + dy, 0, LAST) }),
  ];
  const takeBase = (power) => change({ base: 10 ** clamp(hundredth(power), 0, POWERS) });
  const ofBase = [
    (x) => takeBase((POWERS * (x - along(0))) / (STEP * LAST)),
    (dx, dy) => takeBase(Math.log10(read().base) + (dx + dy) / 20),
  ];
  return {
    putRow: handle(svg, "position i", "live-blue", badge("i"), ...moved("row")),
    putOther: handle(svg, "position j", "live-orange", badge("j", true), ...moved("other")),
    putBase: handle(svg, _("base"), "live-purple", mark(3, 11), ...ofBase),
  };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ plot, columns, laws }, state, result, { hidden }) {
  drawWaves(plot, state, result);
  drawPositions(plot, state);
  drawBars(plot, state, result, hidden);
  drawBases(plot, state, result, hidden);
  columns.put(String(state.d));
  laws.replaceChildren(lawOf(state, result));
  laws.toggleAttribute("data-away", hidden);
}

/** A wave for each pair around a line of its own, and at position j a stem for what it adds. */
function drawWaves(plot, { other }, { waves, adds }) {
  if (plot.count !== waves.length) plot.waves.replaceChildren(...waves.map(buildWave));
  plot.count = waves.length;
  const room = HIGH / waves.length;
  waves.forEach((wave, k) => {
    const [line, , stem, tip, name] = plot.waves.children[k].children;
    const middle = TOP + room * (k + 0.5);
    const at = (x) => thousandth(middle - 0.44 * room * x);
    const points = wave.map((x, t) => `${along(t / 2)},${at(x)}`).join(" ");
    set(line, { points });
    const here = { x: along(other), y: at(adds[k][1]) };
    set(stem, { x1: here.x, x2: here.x, y1: middle, y2: here.y });
    set(tip, { cx: here.x, cy: here.y });
    write(name, short(adds[k][0]));
  });
}

/**
 * The elements of wave k of several: the wave, its middle, a stem, a dot, and its frequency; of many
 * waves every other one has room for that.
 */
function buildWave(_wave, k, { length }) {
  const middle = TOP + (HIGH / length) * (k + 0.5);
  const name = text(BESIDE, middle + 4, "", "live-similarity-beside");
  set(name, { "data-shows": `adds ${k} 0`, visibility: length > 4 && k % 2 ? "hidden" : null });
  return make(
    "g",
    {},
    make("polyline", { class: "live-similarity-wave" }),
    make("line", { class: "live-grid", ...ACROSS, y1: middle, y2: middle }),
    make("line", { class: "live-similarity-stem" }),
    make("circle", { class: "live-similarity-dot", r: length > 4 ? 3 : 4 }),
    name,
  );
}

const short = (x) => typeset(x < 1e-3 ? x.toExponential(0) : Number(x.toPrecision(2)));

/** The lines of both positions, and their handles. */
function drawPositions({ lines, putRow, putOther }, { row: i, other: j }) {
  [i, j].forEach((t, k) => set(lines[k], { x1: along(t), x2: along(t) }));
  putRow([along(i), 16], `position i at ${i}`, { now: i, min: 0, max: LAST });
  putOther([along(j), TOP + HIGH + 18], `position j at ${j}`, { now: j, min: 0, max: LAST });
}

/** A bar for each product, from where 0 is, and what of it stands above that of position j. */
function drawBars(plot, { other, d }, result, hidden) {
  const { bars, tops, zero, level, most, product } = plot;
  const y = scaleOf(d, result);
  const seen = (x) => (hidden ? y(0) : y(x));
  const lift = seen(result.product);
  set(zero, { y1: y(0), y2: y(0) });
  set(level, { y1: lift, y2: lift });
  result.products.forEach((x, t) => {
    putBar(bars[t], seen(x), y(0));
    bars[t].classList.toggle("live-similarity-chosen", t === other);
    bars[t].classList.toggle("live-similarity-farther", result.farther[t]);
    putBar(tops[t], seen(x), result.farther[t] ? Math.max(seen(x), Math.min(lift, y(0))) : seen(x));
  });
  write(most, String(d / 2));
  // beside the bars, but not over the number at their top
  set(product, { y: Math.max(lift + 4, LOW - REACH + 24) });
  write(product, hidden ? "?" : show(result.product));
}

/** A bar between two heights. */
const putBar = (bar, one, other) =>
  set(bar, { y: Math.min(one, other), height: hundredth(Math.abs(one - other)) });

/** The height of a product: the largest possible one, d/2, is at the top, and the least at the bottom. */
function scaleOf(d, { adds }) {
  const atOffset = (s) => total(adds.map(([w]) => Math.cos(w * s)));
  const least = Math.min(0, ...range(LAST + 1).map(atOffset));
  const unit = REACH / (d / 2 - least);
  return (x) => hundredth(LOW + unit * (least - x));
}

/** The base, and what was found with all that were tried for these positions. */
function drawBases({ bases, putBase }, { row, other, d, base }, { count }, hidden) {
  const about = [row, other, d, hidden].join();
  if (bases.about !== about) bases.found.clear();
  bases.about = about;
  const power = Math.log10(base);
  if (!hidden) bases.found.set(hundredth(alongBases(power)), count);
  const found = [...bases.found];
  const stem = ([x, n]) => n ? `M${x} ${BASES}v${hundredth(-1.4 * n)}` : "";
  const isFree = ([, n]) => n === 0;
  set(bases.tried, { d: found.map(stem).join("") });
  set(bases.free, { d: found.filter(isFree).map(([x]) => `M${x} ${BASES}h0.01`).join("") });
  const rounded = String(Math.round(base));
  write(bases.name, `base ${rounded}`);
  putBase([alongBases(power), BASES + 8], rounded, { now: rounded, min: 1, max: 10 ** POWERS });
}

/** The law that the pairs add up. */
function lawOf({ row: i, other: j }, { product, sumGap }) {
  const left = `p${low(i)}·p${low(j)} = ${show(product)}`;
  return verdict(left, "Σ cos ω(j\u00a0−\u00a0i)", sumGap);
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, { count }, { hidden }) {
  const { row, other } = state;
  if (hidden) return "Products are hidden until you have answered.";
  if (row === other) return "Every position has the same product with itself: 1 for each pair.";
  if (count) {
    return `Dashed bars: ${count}. Each is farther from i than j is, and yet more similar.`;
  }
  const isFound = compute({ ...state, base: USUAL }).count > 0;
  return isFound
    ? ["", `No bar is dashed; with base ${USUAL} some are.`]
    : `No position farther away than ${other} is more similar.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
