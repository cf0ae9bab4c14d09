// Sixteen scores as sixteen walks of d_k steps, their softmax, and the gradient that reaches 200
// queries.
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

/** The words of all walks, whose 32 bits are 32 steps: 1 is +1, 0 is -1. */
const wordsOf = kept((draw) => {
  const words = new Int32Array(QUERIES * KEYS * WORDS);
  const before = draw * words.length;
  for (let n = 0; n < words.length; n++) words[n] = mulberry32(before + n);
  return words;
});

/**
 * For each query the ends of its walks, and in how many of the first d_k steps two walks j and l
 * differ. They differ where the words differ, and 32 steps are counted at once.
 */
const walksOf = kept((d_k, draw) => {
  const words = wordsOf(draw);
  const last = d_k < 32 ? 2 ** d_k - 1 : -1;
  const count = Math.ceil(d_k / 32);
  const ends = new Int16Array(QUERIES * KEYS);
  const apart = new Int16Array(QUERIES * KEYS * KEYS);
  for (let walk = 0; walk < QUERIES * KEYS; walk++) {
    let right = 0;
    for (let w = 0; w < count; w++) right += ones(words[walk * WORDS + w] & last);
    ends[walk] = 2 * right - d_k;
    const first = walk - (walk % KEYS);
    for (let l = 0; first + l < walk; l++) {
      const other = first + l;
      let differ = 0;
      for (let w = 0; w < count; w++) {
        differ += ones((words[walk * WORDS + w] ^ words[other * WORDS + w]) & last);
      }
      apart[walk * KEYS + l] = differ;
      apart[other * KEYS + (walk % KEYS)] = differ;
    }
  }
  return { ends, apart };
});

/** Where a walk of the first query is at step 0, every, 2 every, … d_k. */
function path(j, d_k, draw) {
  const words = wordsOf(draw);
  const every = Math.max(1, d_k / 64);
  const places = [0];
  let at = 0;
  for (let c = 0; c < d_k; c++) {
    at += (words[j * WORDS + (c >> 5)] >>> (c & 31)) & 1 ? 1 : -1;
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

/**
 * Walks, scores and weights of the first query; for all queries the gradients, how they are spread,
 * and who has them.
 */
function compute({ d_k, power, draw }) {
  const { ends, apart } = walksOf(d_k, draw);
  const divisor = d_k ** power;
  const rows = range(QUERIES).map((r) =>
    Array.from(ends.subarray(r * KEYS, (r + 1) * KEYS), (s) => s / divisor)
  );
  const weights = rows.map(softmax);
  const gradients = weights.map((a, r) => slope(a, apart, r * KEYS * KEYS) / divisor);
  const falling = [...gradients].sort((a, b) => b - a);
  const half = QUERIES / 2;
  return {
    walks: range(KEYS).map((j) => path(j, d_k, draw)),
    divisor,
    scores: rows[0],
    weights: weights[0],
    spread: total(weights.map(looksAt)) / QUERIES,
    gradients,
    mean: total(gradients) / QUERIES,
    median: (falling[half - 1] + falling[half]) / 2,
    carriers: carriersOf(falling),
  };
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
function valid({ d_k, power, draw }) {
  return (
    LENGTHS.includes(d_k) &&
    power >= 0 &&
    power <= 1 &&
    Number.isInteger(draw) &&
    draw >= 0 &&
    draw < DRAWS
  );
}

// ---- build ---------------------------------------------------------------------------------------

const LEFT = 40; // the panels of the walks and of the weights
const RIGHT = 286;
const MIDDLE = 90;
const BASE = 170;
const WIDE = 600; // the strip of the gradients

/** A number with three digits or more, but for very small ones without a power of ten. */
const plain = (x) => (x < 1e-6 ? tiny(x) : show(x, Math.max(0, 2 - Math.floor(Math.log10(x)))));

/** The height of a score: linear near 0, logarithmic far out. */
const height = (score) => MIDDLE - (80 * Math.asinh(score / 4)) / Math.asinh(REACH / 4);

/** The place of a gradient along the strip, on a logarithmic scale. */
function along(size) {
  const power = clamp(Math.log10(size), FAINTEST, STRONGEST);
  return 20 + ((WIDE - 40) * (power - FAINTEST)) / (STRONGEST - FAINTEST);
}

const each = (f) => range(KEYS).map(f);
const column = (j) => LEFT + 4 + j * 15.4;
const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });
const text = (x, y, words, anchor = "middle") => {
  const look = "live-label live-walk-text";
  return make("text", { class: look, x, y, "text-anchor": anchor }, words);
};
const span = (shows) => make("span", { "data-shows": shows });

/** A drawing below its title. */
function panel(label, title, ...inside) {
  const svg = make("svg", { viewBox: "0 0 300 196", role: "img", "aria-label": label }, inside);
  return div("live-plane", div("live-title", title), svg);
}

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const walks = buildWalks();
  const weights = buildWeights();
  const gradients = buildGradients();
  const sliders = buildSliders(change);
  const spread = span("spread");
  const looks = make(
    "p",
    {},
    fillIn("On average a query looks at {spread} of its 16 keys.", { spread }),
  );
  const [mean, median, carriers] = ["mean", "median", "carriers"].map(span);
  const sums = messageLine();
  tell(
    sums,
    "Mean {mean}, median {median}. {carriers} of the 200 queries hold 90 % of the sum.",
    { mean, median, carriers },
  );
  const again = button("Draw again", () => change({ draw: (read().draw + 1) % DRAWS }));
  el.append(
    hintLine(
      "Move dₖ, then p. At which p does moving dₖ hardly change how many keys a query looks at?",
    ),
    div("live-planes", walks.element, weights.element),
    looks,
    div(
      "live-controls",
      sliders.length.element,
      sliders.exponent.element,
      again,
      button("Back to start", () => change(first)),
    ),
    div("live-title", "Gradient ‖∂a/∂q‖ of 200 queries; the ring is the one above"),
    gradients.strip,
    sums,
  );
  const numbers = { spread, mean, median, carriers };
  return { walks, weights, gradients, sliders, numbers, looks, sums };
}

/** The walks, each with an end that shows where it is, or that it is out of the drawing. */
function buildWalks() {
  const divisor = span("divisor");
  const edge = text(RIGHT, 190, "", "end");
  const rules = [-100, -30, -10, -3, 0, 3, 10, 30, 100].map((s) => [
    line(s ? "live-grid" : "live-axis", LEFT, height(s), RIGHT, height(s)),
    text(LEFT - 5, height(s) + 4, String(s).replace("-", "−"), "end"),
  ]);
  const walks = each(() => make("polyline", { class: "live-walk" }));
  const ends = each(() => make("path", { class: "live-walk-end" }));
  const inside = { // cuts off what leaves it
    viewBox: `${LEFT} 10 ${RIGHT - LEFT} 160`,
    x: LEFT,
    y: 10,
    width: RIGHT - LEFT,
    height: 160,
    "aria-hidden": "true",
  };
  const frame = make("svg", inside, walks);
  const title = fillIn("16 scores, divided by dₖᵖ = {divisor}", { divisor });
  const start = text(LEFT, 190, "0", "start");
  const element = panel("Sixteen walks", title, rules, frame, ends, start, edge);
  return { element, divisor, edge, walks, ends, frame };
}

/** The weights as bars, and the number of the largest. */
function buildWeights() {
  const levels = [0, 0.5, 1].map((a) => [
    line(a ? "live-grid" : "live-axis", LEFT, BASE - 150 * a, RIGHT, BASE - 150 * a),
    text(LEFT - 5, BASE - 150 * a + 4, String(a), "end"),
  ]);
  const bars = each((j) => make("rect", { class: "live-walk-bar", x: column(j), width: 11 }));
  const most = text(0, 0, "");
  const names = each((j) => text(column(j) + 5.5, 190, j % 5 && j !== 15 ? "" : j + 1));
  const title = "Weights: softmax of these scores";
  return { element: panel("Weights", title, levels, bars, most, names), bars, most };
}

/** The gradients as dots along a strip, with their mean and their median. */
function buildGradients() {
  const dots = range(QUERIES).map((r) =>
    make("circle", { class: "live-walk-dot", cy: 32 + 34 * ((r * 0.618034) % 1) })
  );
  const ring = make("circle", { class: "live-walk-ring" });
  const powers = ["≤ 10⁻⁶", "10⁻⁴", "10⁻²", "1", "10²"].map((word, i) =>
    text(i ? along(10 ** (2 * i - 6)) : 36, 117, word)
  );
  const marks = {
    median: line("live-walk-median", 0, 19, 0, 76),
    mean: line("live-walk-mean", 0, 19, 0, 76),
  };
  const names = { median: text(0, 10, _("median")), mean: text(0, 91, _("mean")) };
  const look = {
    viewBox: `0 -6 ${WIDE} 130`,
    role: "img",
    class: "live-walk-strip",
    "aria-label": "Gradients of 200 queries",
  };
  const axis = line("live-axis", 20, 98, WIDE - 20, 98);
  const averages = [...Object.values(marks), ...Object.values(names)];
  const strip = make("svg", look, axis, dots, ring, averages, powers);
  return { strip, dots, ring, marks, names };
}

function buildSliders(change) {
  const powers = { min: 0, max: 10, step: 1, text: (x) => String(2 ** x) };
  const exponents = { min: 0, max: 1, step: 0.05, text: (x) => show(x) };
  return {
    length: slider("steps dₖ", powers, (x) => change({ d_k: 2 ** x })),
    exponent: slider("exponent p", exponents, (power) => change({ power })),
  };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ walks, weights, gradients, sliders, numbers }, state, result, { el, hidden }) {
  const best = result.weights.indexOf(Math.max(...result.weights));
  el.toggleAttribute("data-hidden", hidden);
  drawWalks(walks, state, result);
  drawWeights(weights, result, best, hidden);
  const parts = [walks.walks, walks.ends, weights.bars];
  each((j) => {
    for (const part of parts) part[j].toggleAttribute("data-best", j === best && !hidden);
  });
  walks.frame.append(walks.walks[best]);
  drawGradients(gradients, result, hidden);
  write(numbers.spread, hidden ? "?" : show(result.spread, 1));
  write(numbers.mean, hidden ? "?" : plain(result.mean));
  write(numbers.median, hidden ? "?" : plain(result.median));
  write(numbers.carriers, hidden ? "?" : String(result.carriers));
  sliders.length.put(Math.log2(state.d_k));
  sliders.exponent.put(state.power);
}

function drawWalks({ walks, ends, edge, divisor }, state, result) {
  const steps = result.walks[0].length - 1;
  const x = (i) => hundredth(LEFT + ((RIGHT - LEFT) * i) / steps);
  const y = (place) => hundredth(height(place / result.divisor));
  each((j) => {
    const points = result.walks[j].map((place, i) => `${x(i)},${y(place)}`);
    set(walks[j], { points: points.join(" ") });
    set(ends[j], endOf(result.scores[j]));
  });
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

function drawWeights({ bars, most }, { weights }, best, hidden) {
  each((j) => {
    const tall = hidden ? 0 : 150 * weights[j];
    set(bars[j], { y: hundredth(BASE - tall), height: hundredth(tall) });
  });
  set(most, {
    x: clamp(column(best) + 5.5, 60, 270),
    y: hundredth(BASE - 5 - 150 * weights[best]),
  });
  write(most, hidden ? "" : show(weights[best]));
}

function drawGradients({ dots, ring, marks, names }, result, hidden) {
  dots.forEach((dot, r) => set(dot, { cx: hundredth(along(result.gradients[r])) }));
  set(ring, { cx: dots[0].getAttribute("cx"), cy: dots[0].getAttribute("cy") });
  for (const name of ["median", "mean"]) {
    const x = hundredth(along(result[name]));
    set(marks[name], { x1: x, x2: x });
    set(names[name], { x: clamp(x, 40, WIDE - 40), visibility: hidden ? "hidden" : "visible" });
  }
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words: its two sentences, which hold numbers that `draw` writes. */
const speak = (_state, _result, { looks, sums, hidden }) =>
  hidden
    ? "The weights are hidden until you have answered."
    : `${looks.textContent} ${sums.textContent}`;

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
