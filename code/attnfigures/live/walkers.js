// Sixteen scores as sixteen walks of d_k steps, their softmax, and the gradient that reaches 200 queries.
const QUERIES = 200, KEYS = 16, WORDS = 32, DRAWS = 1000, REACH = 100, MAJORITY = 0.9;
const FAINTEST = -6, STRONGEST = 2; // the powers of ten between which gradients are drawn
const LENGTHS = range(11).map((k) => 2 ** k);

/** How many of the 32 bits are 1. */
function ones(x) {
  const pairs = x - ((x >>> 1) & 0x55555555), fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** A function that keeps its last answer. */
function kept(f) {
  let last, answer;
  return (...given) => {
    if (last !== String(given)) [last, answer] = [String(given), f(...given)];
    return answer;
  };
}

/** The words of all walks, whose 32 bits are 32 steps: 1 is +1, 0 is -1. */
const wordsOf = kept((draw) => {
  const words = new Int32Array(QUERIES * KEYS * WORDS), before = draw * words.length;
  for (let n = 0; n < words.length; n++) words[n] = mulberry32(before + n);
  return words;
});

/** For each query the ends of its walks, and in how many of the first d_k steps two walks j and l differ.
 *  They differ where the words differ, and 32 steps are counted at once. */
const walksOf = kept((d_k, draw) => {
  const words = wordsOf(draw), last = d_k < 32 ? 2 ** d_k - 1 : -1, count = Math.ceil(d_k / 32);
  const ends = new Int16Array(QUERIES * KEYS), apart = new Int16Array(QUERIES * KEYS * KEYS);
  for (let walk = 0; walk < QUERIES * KEYS; walk++) {
    let right = 0;
    for (let w = 0; w < count; w++) right += ones(words[walk * WORDS + w] & last);
    ends[walk] = 2 * right - d_k;
    for (let l = 0, other = walk - (walk % KEYS); other < walk; l++, other++) {
      let differ = 0;
      for (let w = 0; w < count; w++) differ += ones((words[walk * WORDS + w] ^ words[other * WORDS + w]) & last);
      apart[walk * KEYS + l] = apart[other * KEYS + (walk % KEYS)] = differ;
    }
  }
  return { ends, apart };
});

/** Where a walk of the first query is at step 0, every, 2 every, … d_k. */
function path(j, d_k, draw) {
  const words = wordsOf(draw), every = Math.max(1, d_k / 64), places = [0];
  for (let c = 0, at = 0; c < d_k; c++) {
    at += (words[j * WORDS + (c >> 5)] >>> (c & 31)) & 1 ? 1 : -1;
    if ((c + 1) % every === 0) places.push(at);
  }
  return places;
}

/** ‖JK‖² = Σ_j a_j² ‖k_j − ȳ‖² with ȳ = Σ a_l k_l, and ‖k_j − ȳ‖² = Σ_lm a_l a_m (k_j − k_l)·(k_j − k_m).
 *  With entries ±1 these products are 2 (apart_jl + apart_jm − apart_lm), none of them negative: nothing cancels. */
function slope(a, apart, at) {
  let sum = 0;
  for (let j = 0; j < KEYS; j++) {
    let square = 0;
    for (let l = 0; l < KEYS; l++) {
      let inner = 0;
      const jl = apart[at + j * KEYS + l];
      for (let m = 0; m < KEYS; m++) inner += a[m] * (jl + apart[at + j * KEYS + m] - apart[at + l * KEYS + m]);
      square += a[l] * inner;
    }
    sum += 2 * a[j] * a[j] * square;
  }
  return Math.sqrt(sum);
}

/** Walks, scores and weights of the first query; for all queries the gradients, how they are spread, and who has them. */
function compute({ d_k, power, draw }) {
  const { ends, apart } = walksOf(d_k, draw), divisor = d_k ** power;
  const rows = range(QUERIES).map((r) => Array.from(ends.subarray(r * KEYS, (r + 1) * KEYS), (s) => s / divisor));
  const weights = rows.map(softmax);
  const gradients = weights.map((a, r) => slope(a, apart, r * KEYS * KEYS) / divisor);
  const spread = total(weights.map((a) => Math.exp(-total(a.map((x) => (x > 0 ? x * Math.log(x) : 0)))))) / QUERIES;
  const falling = [...gradients].sort((a, b) => b - a), all = total(gradients), half = QUERIES / 2;
  let held = 0, carriers = 1;
  for (const g of falling) {
    held += g;
    if (held < MAJORITY * all - 1e-9) carriers += 1;
  }
  return { walks: range(KEYS).map((j) => path(j, d_k, draw)), divisor, scores: rows[0], weights: weights[0], spread,
    gradients, mean: all / QUERIES, median: (falling[half - 1] + falling[half]) / 2, carriers };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ d_k, power, draw }) {
  return LENGTHS.includes(d_k) && power >= 0 && power <= 1 && Number.isInteger(draw) && draw >= 0 && draw < DRAWS;
}

const LEFT = 40, RIGHT = 286, MIDDLE = 90, BASE = 170, WIDE = 600; // places in the drawings
/** A number with three digits or more, but for very small ones without a power of ten. */
const plain = (x) => (x < 1e-6 ? tiny(x) : show(x, Math.max(0, 2 - Math.floor(Math.log10(x)))));
const height = (score) => MIDDLE - (80 * Math.asinh(score / 4)) / Math.asinh(REACH / 4); // linear near 0, logarithmic far out
const along = (size) => 20 + ((WIDE - 40) * (clamp(Math.log10(size), FAINTEST, STRONGEST) - FAINTEST))
  / (STRONGEST - FAINTEST);

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), each = (f) => range(KEYS).map(f);
  const text = (x, y, words, anchor = "middle") =>
    make("text", { class: "live-label live-walk-text", x, y, "text-anchor": anchor }, words);
  const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });
  const span = (shows) => make("span", { "data-shows": shows });
  const title = (...words) => make("div", { class: "live-title" }, words);
  const panel = (label, words, ...inside) => make("div", { class: "live-plane" }, title(words),
    make("svg", { viewBox: "0 0 300 196", role: "img", "aria-label": label }, inside));

  // the walks
  const divisor = span("divisor"), edge = text(RIGHT, 190, "", "end");
  const rules = [-100, -30, -10, -3, 0, 3, 10, 30, 100].map((s) => [
    line(s ? "live-grid" : "live-axis", LEFT, height(s), RIGHT, height(s)),
    text(LEFT - 5, height(s) + 4, String(s).replace("-", "−"), "end")]);
  const walks = each(() => make("polyline", { class: "live-walk" }));
  const ends = each(() => make("path", { class: "live-walk-end" }));
  const frame = make("svg", { viewBox: `${LEFT} 10 ${RIGHT - LEFT} 160`, x: LEFT, y: 10, width: RIGHT - LEFT,
    height: 160, "aria-hidden": true }, walks); // cuts off what leaves it
  const left = panel("Sixteen walks", fillIn("16 scores, divided by dₖᵖ = {divisor}", { divisor }), rules, frame, ends,
    text(LEFT, 190, "0", "start"), edge);

  // the weights
  const column = (j) => LEFT + 4 + j * 15.4;
  const levels = [0, 0.5, 1].map((a) => [line(a ? "live-grid" : "live-axis", LEFT, BASE - 150 * a, RIGHT, BASE - 150 * a),
    text(LEFT - 5, BASE - 150 * a + 4, String(a), "end")]);
  const bars = each((j) => make("rect", { class: "live-walk-bar", x: column(j), width: 11 }));
  const most = text(0, 0, ""), number = each((j) => text(column(j) + 5.5, 190, j % 5 && j !== 15 ? "" : j + 1));
  const right = panel("Weights", "Weights: softmax of these scores", levels, bars, most, number);

  // the gradients
  const dots = range(QUERIES).map((r) => make("circle", { class: "live-walk-dot", cy: 32 + 34 * ((r * 0.618034) % 1) }));
  const ring = make("circle", { class: "live-walk-ring" });
  const powers = ["≤ 10⁻⁶", "10⁻⁴", "10⁻²", "1", "10²"].map((word, i) => text(i ? along(10 ** (2 * i - 6)) : 36, 117, word));
  const marks = { median: line("live-walk-median", 0, 19, 0, 76), mean: line("live-walk-mean", 0, 19, 0, 76) };
  const names = { median: text(0, 10, _("median")), mean: text(0, 91, _("mean")) };
  const strip = make("svg", { viewBox: `0 -6 ${WIDE} 130`, role: "img", class: "live-walk-strip",
    "aria-label": "Gradients of 200 queries" }, line("live-axis", 20, 98, WIDE - 20, 98), dots, ring,
  Object.values(marks), Object.values(names), powers);

  // controls
  const length = slider("steps dₖ", { min: 0, max: 10, step: 1, text: (x) => String(2 ** x) }, (x) => change({ d_k: 2 ** x }));
  const exponent = slider("exponent p", { min: 0, max: 1, step: 0.05, text: (x) => show(x) }, (x) => change({ power: x }));
  const again = button("Draw again", () => change({ draw: (read().draw + 1) % DRAWS }));
  const back = button("Back to start", () => change(first));
  const message = make("p", { class: "live-verdict" }), [spread, mean, median, carriers] =
    ["spread", "mean", "median", "carriers"].map(span);
  const looks = make("p", {}, fillIn("On average a query looks at {spread} of its 16 keys.", { spread }));
  el.append(make("p", { class: "live-hint" }, "Move dₖ, then p. At which p does moving dₖ hardly change how many keys a query looks at?"),
  make("div", { class: "live-planes" }, left, right), looks,
  make("div", { class: "live-controls" }, length.element, exponent.element, again, back),
  title("Gradient ‖∂a/∂q‖ of 200 queries; the ring is the one above"), strip, message);
  tell(message, "Mean {mean}, median {median}. {carriers} of the 200 queries hold 90 % of the sum.", { mean, median, carriers });
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    const best = result.weights.indexOf(Math.max(...result.weights)), count = result.walks[0].length - 1;
    el.toggleAttribute("data-hidden", hidden);
    each((j) => {
      const score = result.scores[j], out = Math.abs(score) > REACH, y = height(clamp(score, -REACH, REACH));
      set(walks[j], { points: result.walks[j].map((s, i) =>
        `${hundredth(LEFT + ((RIGHT - LEFT) * i) / count)},${hundredth(height(s / result.divisor))}`).join(" ") });
      const up = Math.sign(score) * -7, shape = out ? `M-4 0L4 0L0 ${up}Z` : "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0";
      set(ends[j], { d: shape, transform: `translate(${RIGHT} ${hundredth(y)})` });
      const tall = hidden ? 0 : 150 * result.weights[j];
      set(bars[j], { y: hundredth(BASE - tall), height: hundredth(tall) });
      for (const part of [walks[j], ends[j], bars[j]]) part.toggleAttribute("data-best", j === best && !hidden);
    });
    frame.append(walks[best]);
    set(most, { x: clamp(column(best) + 5.5, 60, 270), y: hundredth(BASE - 5 - 150 * result.weights[best]) });
    write(most, hidden ? "" : show(result.weights[best]));
    dots.forEach((dot, r) => set(dot, { cx: hundredth(along(result.gradients[r])) }));
    set(ring, { cx: dots[0].getAttribute("cx"), cy: dots[0].getAttribute("cy") });
    for (const name of ["median", "mean"]) {
      const x = hundredth(along(result[name]));
      set(marks[name], { x1: x, x2: x });
      set(names[name], { x: clamp(x, 40, WIDE - 40), visibility: hidden ? "hidden" : "visible" });
    }
    write(edge, `step ${state.d_k}`);
    write(divisor, plain(result.divisor));
    write(spread, hidden ? "?" : show(result.spread, 1));
    write(mean, hidden ? "?" : plain(result.mean));
    write(median, hidden ? "?" : plain(result.median));
    write(carriers, hidden ? "?" : String(result.carriers));
    length.put(Math.log2(state.d_k));
    exponent.put(state.power);
    speak(hidden ? "The weights are hidden until you have answered." : `${looks.textContent} ${message.textContent}`);
  }
  update();
}

export default { initialize, render, compute, valid };
