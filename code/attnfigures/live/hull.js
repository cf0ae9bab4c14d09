// Softmax as a point in the hull: one query, m keys and their m values in the plane.
const REACH = 3;

/** The point of the simplex nearest to s: max(s_j - τ, 0). Martins and Astudillo (2016), proposition 1. */
function sparsemax(s) {
  const falling = [...s].sort((a, b) => b - a);
  let total = 0, threshold = 0;
  falling.forEach((x, i) => { total += x; if (1 + (i + 1) * x > total) threshold = (total - 1) / (i + 1); });
  return s.map((x) => Math.max(x - threshold, 0));
}

const WEIGHTINGS = { softmax, sparsemax, none: (s) => s };

/** Weights of the keys, the output Σ a_j V_j, the corners of the hull of V, and how deep the output lies. */
function compute({ query, keys, values, temperature, weighting }) {
  const scores = keys.map((k) => dot(query, k) / Math.SQRT2 / temperature), weights = WEIGHTINGS[weighting](scores);
  const output = transpose(values).map((column) => dot(weights, column));
  const corners = convexHull(values), depth = depthIn(corners, output);
  const entropy = -weights.map((a) => (a > 0 ? a * Math.log(a) : 0)).reduce((a, b) => a + b);
  return { scores, weights, output, corners, depth, spread: weighting === "none" ? null : Math.exp(entropy) };
}

/** The least distance, with sign, from a point to the lines through the sides: positive inside, negative outside; to a flat hull, minus the distance. */
function depthIn(corners, [x, y]) {
  if (corners.length < 3) {
    const [[a, b], [c, d]] = [corners[0], corners.at(-1)], square = (c - a) ** 2 + (d - b) ** 2;
    const t = square ? clamp(((x - a) * (c - a) + (y - b) * (d - b)) / square, 0, 1) : 0;
    return 0 - Math.hypot(x - a - t * (c - a), y - b - t * (d - b));
  }
  return Math.min(...corners.map(([a, b], i) => {
    const [c, d] = corners[(i + 1) % corners.length];
    return ((c - a) * (y - b) - (d - b) * (x - a)) / Math.hypot(c - a, d - b);
  }));
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ query, keys, values, temperature, weighting }) {
  const point = (p) => p.length === 2 && p.every((x) => Math.abs(x) <= REACH);
  return [query, ...keys, ...values].every(point) && keys.length === values.length && keys.length > 1 && keys.length < 6
    && temperature >= 0.01 && temperature <= 100 && Object.hasOwn(WEIGHTINGS, weighting);
}

/** A number with at most `digits` decimals, fewer where it is large: a column keeps its width at every temperature. */
const brief = (x, digits) => show(x, clamp(digits - Math.floor(Math.log10(Math.abs(x) || 1)), 0, digits));

const shape = ({ keys }) => keys.length;

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), m = first.keys.length, each = (f) => range(m).map(f);
  const replaced = (list, j, p) => list.map((old, i) => (i === j ? p : old));
  const put = (name, j) => (p) => change({ [name]: j === null ? p : replaced(read()[name], j, p) });

  // the two planes
  const left = plane("Query and keys", REACH, 20), right = plane("Values, their hull, and the output", REACH, 20);
  const rays = each((j) => make("line", { class: `live-ray ${HUES[j]}` })), ray = make("line", { class: "live-ray live-ink" });
  left.svg.append(...rays, ray);
  const area = make("polygon", { class: "live-hull" });
  const springs = each((j) => make("line", { class: `live-spring ${HUES[j]}` }));
  const discs = each((j) => make("circle", { class: `live-weight ${HUES[j]}` }));
  right.svg.append(area, ...springs, ...discs);
  const letter = make("text", { class: "live-letter", x: 8, y: -8 }, "q"), tip = make("circle", { r: 5 });
  const moveKey = each((j) => left.pointHandle(`key ${j + 1}, ${LOOKS[j]}`, HUES[j], mark(j, 8), put("keys", j)));
  const moveQuery = left.pointHandle(_("query"), "live-ink", make("g", {}, tip, letter), put("query", null));
  const moveValue = each((j) =>
    right.pointHandle(`value ${j + 1}, ${LOOKS[j]}`, HUES[j], mark(j, 8), put("values", j)));
  const ring = make("g", { class: "live-output" }, make("path", { d: "M-8 0H8M0 -8V8" }), make("circle", { r: 9 }));
  right.svg.append(ring);

  // the weights
  const weights = each((j) => make("span", { "data-shows": `weights ${j}` }));
  const scores = each((j) => make("span", { "data-shows": `scores ${j}` }));
  const bars = each((j) => make("span", { class: `live-bar ${HUES[j]}` }));
  const icon = (j) => make("svg", { viewBox: "-10 -10 20 20", class: `live-icon ${HUES[j]}`, role: "img",
    "aria-label": LOOKS[j] }, mark(j, 8));
  const rows = each((j) => make("tr", {}, make("th", { scope: "row" }, icon(j)), make("td", {}, scores[j]),
    make("td", {}, weights[j]), make("td", { class: "live-share" }, bars[j])));
  const head = (text) => make("th", { scope: "col" }, text);
  const table = make("table", { class: "live-table" },
    make("thead", {}, make("tr", {}, head(_("key")), head(_("score")), head(_("weight")), make("td"))), make("tbody", {}, rows));

  // controls
  const log = { min: -2, max: 2, step: 0.05, text: (x) => show(10 ** x, x < -0.7 ? 3 : 2) };
  const temperature = slider("temperature T", log, (x) => change({ temperature: 10 ** x }));
  const names = { softmax: "softmax", sparsemax: "sparsemax", none: "the scores themselves" };
  const weighting = choice(_("weights"), names, (name) => change({ weighting: name }));
  const text = make("p", { class: "live-verdict" }), back = button("Back to start", () => change(first));
  el.append(make("p", { class: "live-hint" }, "Drag the query, a key or a value. Can the output leave the grey region?"),
    make("div", { class: "live-planes live-lean" }, left.element, right.element, table),
    make("div", { class: "live-controls" }, temperature.element, weighting.element, back), text);

  // predict first: the reader places the output
  const ask = model.get("ask");
  let guess = [1, -2], guessing = ask === "place", moved = false, guessed = false, moveGuess = () => {}, done = () => {};
  if (guessing) {
    const cross = make("path", { d: "M-7 -7L7 7M-7 7L7 -7" });
    moveGuess = right.pointHandle("your guess of the output", "live-ink", cross, (p) => { guess = p; moved = true; update(); });
    const settle = button("Show the output", () => { guessing = false; guessed = moved; box.remove(); update(); });
    const request = make("p", {}, "Predict first: move the cross to where the output will be.");
    const box = make("div", { class: "live-ask" }, request, settle);
    el.prepend(box);
    done = () => cross.parentNode.remove();
  }
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = guessing || el.classList.contains("live-asking");
    const to = (element, [x1, y1], [x2, y2]) => set(element, { x1, y1, x2, y2 });
    const seen = { visibility: hidden ? "hidden" : "visible" };
    to(ray, left.px([0, 0]), left.px(state.query));
    moveQuery(state.query);
    set(letter, letterAt(state.query, REACH));
    set(area, { points: result.corners.map((p) => right.px(p).join()).join(" ") });
    const most = Math.max(1, ...result.weights.map(Math.abs));
    each((j) => {
      const weight = result.weights[j], size = Math.abs(weight) / most, [cx, cy] = right.px(state.values[j]);
      to(rays[j], left.px([0, 0]), left.px(state.keys[j]));
      moveKey[j](state.keys[j]);
      moveValue[j](state.values[j]);
      to(springs[j], right.px(state.values[j]), right.px(result.output));
      const dash = weight < 0 ? "4 3" : null;
      set(springs[j], { ...seen, "stroke-width": (8 * size).toFixed(2), "stroke-dasharray": dash });
      set(discs[j], { cx, cy, r: (26 * Math.sqrt(size)).toFixed(2), ...seen });
      write(scores[j], brief(result.scores[j], 2));
      write(weights[j], hidden ? "?" : weight > 0 && weight < 5e-4 ? tiny(weight) : brief(weight, 3));
      bars[j].classList.toggle("live-minus", weight < 0);
      bars[j].style.setProperty("--share", hidden ? 0 : size);
    });
    const edge = result.output.map((x) => clamp(x, -REACH, REACH)), beyond = edge.some((x, c) => x !== result.output[c]);
    set(ring, { transform: `translate(${right.px(edge).join(" ")})`, "stroke-dasharray": beyond ? "3 3" : null, ...seen });
    moveGuess(guess);
    temperature.put(Math.log10(state.temperature));
    weighting.put(state.weighting);
    write(text, hidden ? "The output is hidden until you have answered." : sentence(result, m));
    const away = Math.hypot(guess[0] - result.output[0], guess[1] - result.output[1]);
    if (guessed) write(text, paragraph(text.textContent, `Your guess, the cross, was ${show(away)} away.`));
    else if (!guessing) done();
    guessed = false;
    speak(text.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ weights, output, depth, spread }, m) {
  const sum = show(weights.reduce((a, b) => a + b));
  const looks = spread !== null ? `the query looks at ${show(spread, 1)} of ${m} keys`
    : weights.some((a) => a < 0) ? `the weights sum to ${sum}, and dashed lines mark negative ones` : `the weights sum to ${sum}`;
  const [x, y] = output.map((c) => show(c));
  if (output.some((c) => Math.abs(c) > REACH)) return `The output (${x}, ${y}) is outside the hull and off the picture, beyond the dashed ring; ${looks}.`;
  return depth > EXACT ? `The output (${x}, ${y}) is inside the hull; ${looks}.` : depth < -EXACT ? `The output (${x}, ${y}) is outside the hull; ${looks}.`
    : `The output (${x}, ${y}) is on the rim of the hull, as far as double precision can tell; ${looks}.`;
}

export default { initialize, render, compute, valid, shape };
