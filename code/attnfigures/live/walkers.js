// Sixteen scores as sixteen walks of d_k steps, their softmax, and for 200 queries how many keys they
// look at, or how large the derivative of their weights is.
const QUERIES = 200;
const KEYS = 16;
const WORDS = 32;
const DRAWS = 1000;
const REACH = 100;
const MAJORITY = 0.9;
const FAINTEST = -6; // the powers of ten between which gradients are drawn
const STRONGEST = 2;
const LENGTHS = range(11).map((k) => 2 ** k);

/** How many of the 32 bits are 1. */
function ones(x) {
  const pairs = x - ((x >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** A function that keeps its last answer. */
function kept(f) {
  let last;
  let answer;
  return (...given) => {
    if (last !== String(given)) {
      last = String(given);
      answer = f(...given);
    }
    return answer;
  };
}

/** How many words hold d_k steps. */
const wordsFor = (d_k) => Math.ceil(d_k / 32);

/**
 * The first d_k steps of all walks, 32 in the bits of a word: 1 is +1, 0 is -1. The words of one walk
 * follow each other, and steps after d_k are 0.
 */
const wordsOf = kept((d_k, draw) => {
  const count = wordsFor(d_k);
  const before = draw * QUERIES * KEYS * WORDS;
  const mask = d_k < 32 ? 2 ** d_k - 1 : -1;
  const words = new Int32Array(QUERIES * KEYS * count);
  for (let n = 0; n < words.length; n++) {
    words[n] = mulberry32(before + Math.floor(n / count) * WORDS + (n % count)) & mask;
  }
  return words;
});

/** Where the walks of all queries end. */
const endsOf = kept((d_k, draw) => {
  const words = wordsOf(d_k, draw);
  const count = wordsFor(d_k);
  return Int16Array.from({ length: QUERIES * KEYS }, (_one, walk) => {
    let up = 0;
    for (let w = 0; w < count; w++) up += ones(words[walk * count + w]);
    return 2 * up - d_k;
  });
});

/**
 * For each query in how many of the first d_k steps two walks j and l differ. They differ where the
 * words differ, and 32 steps are counted at once.
 */
const apartOf = kept((d_k, draw) => {
  const words = wordsOf(d_k, draw);
  const count = wordsFor(d_k);
  const apart = new Int16Array(QUERIES * KEYS * KEYS);
  for (let walk = 0; walk < QUERIES * KEYS; walk++) {
    const first = walk - (walk % KEYS);
    for (let l = 0; first + l < walk; l++) {
      const other = first + l;
      let differ = 0;
      for (let w = 0; w < count; w++) {
        differ += ones(words[walk * count + w] ^ words[other * count + w]);
      }
      apart[walk * KEYS + l] = differ;
      apart[other * KEYS + (walk % KEYS)] = differ;
    }
  }
  return apart;
});

/** Where a walk of the first query is at step 0, every, 2 every, … d_k. */
function path(j, d_k, draw) {
  const words = wordsOf(d_k, draw).subarray(j * wordsFor(d_k));
  const every = Math.max(1, d_k / 64);
  const places = [0];
  let at = 0;
  for (let c = 0; c < d_k; c++) {
    at += (words[c >> 5] >>> (c & 31)) & 1 ? 1 : -1;
    if ((c + 1) % every === 0) places.push(at);
  }
  return places;
}

/**
 * ‖JK‖² = Σ_j a_j² ‖k_j − ȳ‖² with ȳ = Σ a_l k_l, and ‖k_j − ȳ‖² = Σ_lm a_l a_m (k_j − k_l)·(k_j −
 * k_m). With entries ±1 these products are 2 (apart_jl + apart_jm − apart_lm), none of them
 * negative: nothing cancels.
 */
function slope(a, apart, at) {
  let sum = 0;
  for (let j = 0; j < KEYS; j++) {
    let square = 0;
    for (let l = 0; l < KEYS; l++) {
      let inner = 0;
      const jl = apart[at + j * KEYS + l];
      for (let m = 0; m < KEYS; m++) {
        inner += a[m] * (jl + apart[at + j * KEYS + m] - apart[at + l * KEYS + m]);
      }
      square += a[l] * inner;
    }
    sum += 2 * a[j] * a[j] * square;
  }
  return Math.sqrt(sum);
}

/** What is shown: walks, scores and weights of the first query, or the gradients of all. */
function compute(state) {
  const ends = endsOf(state.d_k, state.draw);
  const divisor = state.d_k ** state.power;
  const rows = range(QUERIES).map((r) =>
    Array.from(ends.subarray(r * KEYS, (r + 1) * KEYS), (s) => s / divisor)
  );
  const weights = rows.map(softmax);
  return state.show === "gradients"
    ? gradientsOf(state, weights, divisor)
    : keysOf(state, rows[0], weights, divisor);
}

/** The walks of the first query, and how many keys all look at. */
const keysOf = ({ d_k, draw }, scores, weights, divisor) => ({
  walks: range(KEYS).map((j) => path(j, d_k, draw)),
  divisor,
  scores,
  weights: weights[0],
  spread: total(weights.map(looksAt)) / QUERIES,
});

/** The gradients of all queries, their mean, and how many queries hold most of their sum. */
function gradientsOf({ d_k, draw }, weights, divisor) {
  const apart = apartOf(d_k, draw);
  const gradients = weights.map((a, r) => slope(a, apart, r * KEYS * KEYS) / divisor);
  const falling = [...gradients].sort((a, b) => b - a);
  return { gradients, mean: total(gradients) / QUERIES, carriers: carriersOf(falling) };
}

/** The number of keys that a query looks at: e to the entropy of its weights. */
const looksAt = (a) => Math.exp(-total(a.map((x) => (x > 0 ? x * Math.log(x) : 0))));

/** How many of the largest gradients hold nine tenths of the sum of all. */
function carriersOf(falling) {
  const enough = MAJORITY * total(falling) - 1e-9;
  let held = 0;
  let carriers = 1;
  for (const g of falling) {
    held += g;
    if (held < enough) carriers += 1;
  }
  return carriers;
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ d_k, power, draw, show: shown }) {
  return (
    LENGTHS.includes(d_k) &&
    power >= 0 &&
    power <= 1 &&
    Number.isInteger(draw) &&
    draw >= 0 &&
    draw < DRAWS &&
    ["keys", "gradients"].includes(shown)
  );
}

const shape = (state) => state.show;

// ---- places --------------------------------------------------------------------------------------

const LEFT = 46; // the walks
const RIGHT = 290;
const MIDDLE = 112;
const BARS = 330; // the bars of the weights, in rows from the highest score to the lowest
const LONG = 186;
const COLUMNS = 76; // the gradients: the first of eleven columns …
const APART = 39; // … and how far the next one is
const BROAD = 28;
const FLOOR = 272;
const ROOF = 62;
const HELD = 14; // the dot that is dragged …
const COUNT = 49; // … the number below it, which it changes …
const FOOT = 294; // … and the names of the columns
const ROOT = 0.5; // the exponent beside which that of the state stands
const FLAT = 1; // keys: dots that lie within so many are a flat row

/** A number with three digits or more, but for very small ones without a power of ten. */
const plain = (x) => (x < 1e-6 ? tiny(x) : show(x, Math.max(0, 2 - Math.floor(Math.log10(x)))));

/** The height of a score: linear near 0, logarithmic far out. */
const height = (score) => MIDDLE - (104 * Math.asinh(score / 4)) / Math.asinh(REACH / 4);

/** The height of a gradient, on a logarithmic scale. */
function upTo(size) {
  const power = clamp(Math.log10(size), FAINTEST, STRONGEST);
  return FLOOR - ((FLOOR - ROOF) * (power - FAINTEST)) / (STRONGEST - FAINTEST);
}

const columnAt = (k) => COLUMNS + APART * k;
const rowAt = (r) => 10 + 13.6 * r;
const lengthAt = (k) => 26 + 25.5 * k; // the trail: d_k = 2^k to the right …
const keysAt = (spread) => 118 - 6.7 * spread; // … and the keys looked at upwards

const each = (f) => range(KEYS).map(f);
const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });
const text = (x, y, words, anchor = "middle") => {
  const look = "live-label live-walk-text";
  return make("text", { class: look, x, y, "text-anchor": anchor }, words);
};
const span = (shows) => make("span", { "data-shows": shows });

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
const build = (stage) =>
  stage.read().show === "gradients" ? buildGradients(stage) : buildKeys(stage);

const buttons = ({ read, change, first }) =>
  div(
    "live-controls",
    button("Draw again", () => change({ draw: (read().draw + 1) % DRAWS })),
    button("Back to start", () => change(first)),
  );

/** The walks of one query, and how many keys 200 look at for each d_k. */
function buildKeys(stage) {
  const { el, read, change } = stage;
  const walks = buildWalks();
  const trail = buildTrail(read, change);
  const exponent = slider(
    "exponent p",
    { min: 0, max: 1, step: 0.05, text: (x) => show(x) },
    (power) => change({ power }),
  );
  el.append(
    hintLine("Drag the dot to other dₖ. Which p makes its trail flat?"),
    div(
      "live-planes live-walk-both",
      div("live-plane live-walk-main", div("live-title", walks.title), walks.svg),
      div("live-walk-side", trail.element, exponent.element, trail.sums),
    ),
    buttons(stage),
  );
  return { walks, trail, exponent, sums: trail.sums };
}

/** The gradients of 200 queries with the exponent of the state, and with the square root. */
function buildGradients(stage) {
  const { el, read, change } = stage;
  const fields = range(2).map(buildField);
  const go = (k) => change({ d_k: 2 ** clamp(Math.round(k), 0, 10) });
  const drag = (x) => go((x - COLUMNS) / APART);
  const step = (dx, dy) => go(Math.log2(read().d_k) + dx + dy);
  const dot = () => make("circle", { r: 9 });
  const move = handle(fields[0].svg, _("dₖ"), "live-orange", dot(), drag, step);
  const other = make("g", { class: "live-handle live-orange" }, dot());
  draggable(other, fields[1].svg, drag);
  fields[1].svg.append(other);
  const [carriers, beside] = [span("carriers"), make("span")];
  const sums = make("p", { class: "live-verdict live-walk-sums" });
  tell(
    sums,
    "The orange ones hold 90 % of the sum: {carriers} of 200 queries, and {beside} with √dₖ.",
    { carriers, beside },
  );
  el.append(
    hintLine(
      "Each small dot is a query: how far its weights move with q. Drag the large dot to other dₖ. How many queries stay orange?",
    ),
    div("live-planes live-walk-fields", fields.map(({ element }) => element)),
    sums,
    buttons(stage),
  );
  return { fields, move, other, carriers, beside, sums };
}

/**
 * The walks, each with an end that shows where it is, or that it is out of the drawing; from there a
 * thread leads to its weight.
 */
function buildWalks() {
  const divisor = span("divisor");
  const edge = text(RIGHT, 234, "", "end");
  const rules = [-100, -30, -10, -3, 0, 3, 10, 30, 100].map((s) => [
    line(s ? "live-grid" : "live-axis", LEFT, height(s), RIGHT, height(s)),
    text(LEFT - 5, height(s) + 4, String(s).replace("-", "−"), "end"),
  ]);
  const walks = each(() => make("polyline", { class: "live-walk" }));
  const ends = each(() => make("path", { class: "live-walk-end" }));
  const threads = each(() => make("path", { class: "live-walk-thread" }));
  const bars = each(() => make("rect", { class: "live-walk-bar", x: BARS, height: 10.5 }));
  const most = text(0, 0, "", "start");
  const inside = { // cuts off what leaves it
    viewBox: `${LEFT} 4 ${RIGHT - LEFT} 216`,
    x: LEFT,
    y: 4,
    width: RIGHT - LEFT,
    height: 216,
    "aria-hidden": "true",
  };
  const frame = make("svg", inside, walks);
  const title = fillIn("Sixteen scores / dₖᵖ = {divisor}, and their weights", {
    divisor,
  });
  const names = [text(LEFT, 234, "0", "start"), text(BARS, 234, _("weights"), "start")];
  const base = line("live-axis", BARS, 6, BARS, 222);
  const look = {
    viewBox: "0 0 560 238",
    role: "img",
    "aria-label": "Sixteen walks and their weights",
  };
  const svg = make("svg", look, rules, frame, threads, ends, base, bars, most, names, edge);
  return { svg, title, divisor, edge, walks, ends, threads, bars, most, frame };
}

/** How many keys a query looks at, for each d_k and p that was tried. */
function buildTrail(read, change) {
  const levels = [4, 8, 12, 16].map((n) => [
    line("live-grid", lengthAt(0), keysAt(n), lengthAt(10), keysAt(n)),
    text(lengthAt(0) - 6, keysAt(n) + 4, String(n), "end"),
  ]);
  const ticks = [0, 2, 4, 6, 8, 10].map((k) => text(lengthAt(k), 134, String(2 ** k)));
  const axis = line("live-axis", lengthAt(0), keysAt(0), lengthAt(10), keysAt(0));
  const others = make("g", { class: "live-walk-others" });
  const row = make("polyline", { class: "live-walk-row" });
  const own = make("g", { class: "live-walk-own" });
  const look = { viewBox: "0 0 300 139", role: "group", "aria-label": "Keys looked at, by dₖ" };
  const svg = make("svg", look, levels, ticks, axis, others, row, own);
  const go = (k) => change({ d_k: 2 ** clamp(Math.round(k), 0, 10) });
  const drag = (x) => go((x - lengthAt(0)) / (lengthAt(1) - lengthAt(0)));
  const step = (dx, dy) => go(Math.log2(read().d_k) + dx + dy);
  const move = handle(svg, _("dₖ"), "live-orange", make("circle", { r: 7 }), drag, step);
  const spread = span("spread");
  const now = fillIn("A query looks at {spread} of 16 keys.", { spread });
  const remark = make("span");
  const sums = make("p", { class: "live-verdict live-walk-sums" }, now, " ", remark);
  const element = div(
    "live-walk-trail",
    div("live-title", "Keys that a query looks at, by dₖ"),
    svg,
  );
  return { element, others, row, own, move, spread, remark, sums, tried: new Map() };
}

/** The gradients for every d_k that was tried: a column of dots, of which the largest are orange. */
function buildField() {
  const levels = ["≤ 10⁻⁶", "10⁻⁴", "10⁻²", "1", "10²"].map((word, i) => {
    const y = upTo(10 ** (2 * i + FAINTEST));
    return [
      line("live-grid", columnAt(-0.5), y, columnAt(10.5), y),
      text(columnAt(-0.5) - 5, y + 4, word, "end"),
    ];
  });
  const ticks = [0, 2, 4, 6, 8, 10].map((k) => text(columnAt(k), FOOT, String(2 ** k)));
  const name = text(columnAt(-0.5) - 5, FOOT, "dₖ", "end");
  const guide = make("rect", { class: "live-walk-guide", y: 2, width: APART, height: FLOOR + 6 });
  const columns = make("g");
  const look = {
    viewBox: `0 0 490 ${FOOT + 5}`,
    role: "group",
    "aria-label": "Derivatives of the weights of 200 queries",
  };
  const svg = make("svg", look, guide, levels, ticks, name, columns);
  const title = div("live-title");
  const element = div("live-plane live-walk-field", title, svg);
  return { element, svg, title, guide, columns, tried: new Map() };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { el, hidden }) {
  el.toggleAttribute("data-hidden", hidden);
  if (state.show === "gradients") return drawGradients(parts, state, result, hidden);
  drawWalks(parts.walks, state, result, hidden);
  drawTrail(parts.trail, state, result, hidden);
  parts.exponent.put(state.power);
}

function drawWalks(
  { walks, ends, threads, bars, most, frame, edge, divisor },
  state,
  result,
  hidden,
) {
  const steps = result.walks[0].length - 1;
  const x = (i) => hundredth(LEFT + ((RIGHT - LEFT) * i) / steps);
  const y = (place) => hundredth(height(place / result.divisor));
  const { scores, weights } = result;
  const order = each((j) => j).sort((i, j) => scores[j] - scores[i] || i - j);
  const best = order[0];
  order.forEach((j, r) => {
    const points = result.walks[j].map((place, i) => `${x(i)},${y(place)}`);
    const end = hundredth(height(clamp(scores[j], -REACH, REACH)));
    const row = hundredth(rowAt(r));
    set(walks[j], { points: points.join(" ") });
    set(ends[j], endOf(scores[j]));
    set(threads[j], {
      d: `M${RIGHT + 5} ${end}C${RIGHT + 22} ${end} ${BARS - 20} ${row} ${BARS} ${row}`,
    });
    set(bars[j], { y: row - 5.25, width: hidden ? 0 : hundredth(LONG * weights[j]) });
    for (const part of [walks, ends, threads, bars]) {
      part[j].toggleAttribute("data-best", j === best && !hidden);
    }
  });
  frame.append(walks[best]);
  set(most, { x: hundredth(BARS + 5 + LONG * weights[best]), y: rowAt(0) + 4 });
  write(most, hidden ? "" : show(weights[best]));
  write(edge, `step ${state.d_k}`);
  write(divisor, plain(result.divisor));
}

/** The end of a walk: a disc at its score, or at the edge of the drawing an arrow that leaves it. */
function endOf(score) {
  const y = hundredth(height(clamp(score, -REACH, REACH)));
  const up = Math.sign(score) * -7;
  const out = Math.abs(score) > REACH;
  const d = out ? `M-4 0L4 0L0 ${up}Z` : "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0";
  return { d, transform: `translate(${RIGHT} ${y})` };
}

/** The dots of all that was tried; those of the p of now are in orange, and a line joins them. */
function drawTrail(
  { others, row, own, move, spread, remark, tried },
  { d_k, power },
  result,
  hidden,
) {
  const k = Math.log2(d_k);
  move([lengthAt(k), hidden ? keysAt(8) : keysAt(result.spread)], String(d_k), {
    now: k,
    min: 0,
    max: 10,
  });
  write(spread, hidden ? "?" : show(result.spread, 1));
  if (!hidden) tried.set(`${power} ${d_k}`, { k, power, keys: result.spread });
  const dot = ({ k, keys }) =>
    make("circle", { cx: hundredth(lengthAt(k)), cy: hundredth(keysAt(keys)), r: 4 });
  const all = [...tried.values()];
  const trail = all.filter((one) => one.power === power).sort((a, b) => a.k - b.k);
  others.replaceChildren(...all.filter((one) => one.power !== power).map(dot));
  own.replaceChildren(...trail.map(dot));
  const points = trail.map(({ k, keys }) => `${hundredth(lengthAt(k))},${hundredth(keysAt(keys))}`);
  set(row, { points: points.join(" ") });
  write(remark, hidden ? "" : trailText(trail));
}

function drawGradients({ fields, move, other, carriers, beside }, state, result, hidden) {
  const root = compute({ ...state, power: ROOT });
  const k = Math.log2(state.d_k);
  drawField(fields[0], state, result, hidden);
  drawField(fields[1], { ...state, power: ROOT }, root, hidden);
  move([columnAt(k), HELD], String(state.d_k), { now: k, min: 0, max: 10 });
  set(other, { transform: `translate(${columnAt(k)} ${HELD})` });
  write(carriers, hidden ? "?" : String(result.carriers));
  write(beside, hidden ? "?" : String(root.carriers));
}

/** Adds the column of this d_k to those of before, which other random numbers and exponents draw anew. */
function drawField({ title, guide, columns, tried }, state, result, hidden) {
  const { d_k, power, draw } = state;
  const k = Math.log2(d_k);
  write(title, titleOf(power));
  set(guide, { x: columnAt(k - 0.5) });
  if (hidden) return columns.replaceChildren();
  tried.set(k, { power, draw, result });
  for (const [other, { power: p, draw: n }] of tried) {
    if (p === power && n === draw) continue;
    tried.set(other, { power, draw, result: compute({ ...state, d_k: 2 ** other }) });
  }
  columns.replaceChildren(...[...tried].map(([other, { result }]) => columnOf(other, result)));
}

function titleOf(power) {
  if (power === 0) return "q·k, not scaled";
  return power === ROOT ? "q·k / √dₖ" : `q·k / dₖᵖ, p = ${show(power)}`;
}

/** The 200 gradients for one d_k, their mean as a line, and how many of them are orange. */
function columnOf(k, { gradients, mean, carriers }) {
  const falling = range(QUERIES).sort((i, j) => gradients[j] - gradients[i]);
  const place = (r) => {
    const x = columnAt(k) + BROAD * (((r * 0.618034) % 1) - 0.5);
    return `M${hundredth(x)} ${hundredth(upTo(gradients[r]))}h0`;
  };
  const dots = (look, some) => make("path", { class: look, d: some.map(place).join("") });
  const y = hundredth(upTo(mean));
  return make(
    "g",
    {},
    dots("live-walk-rest", falling.slice(carriers)),
    dots("live-walk-carriers", falling.slice(0, carriers)),
    line("live-walk-mean", columnAt(k - 0.45), y, columnAt(k + 0.45), y),
    make(
      "text",
      { class: "live-label live-walk-count", x: columnAt(k), y: COUNT, "text-anchor": "middle" },
      carriers,
    ),
  );
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words, which hold numbers that `draw` writes. */
const speak = (_state, _result, { sums, hidden }) =>
  hidden ? "The weights are hidden until you have answered." : sums.textContent;

/** How flat the trail is: between which numbers of keys it lies, once it goes from end to end. */
function trailText(trail) {
  const keys = trail.map((one) => one.keys);
  const [least, most] = [Math.min(...keys), Math.max(...keys)];
  if (trail.length < 3) return "";
  if (trail[0].k > 1 || trail.at(-1).k < 9) return "Drag the dot to both ends of the axis.";
  const [power, low, high] = [show(trail[0].power), show(least, 1), show(most, 1)];
  return most - least < FLAT
    ? `✓ At p = ${power} nearly flat: ${low} to ${high} keys.`
    : `At p = ${power} not flat: ${low} to ${high} keys.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
