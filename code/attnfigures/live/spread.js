// One query against 200 normal keys: the longer the query, the wider its scores, as at a lower
// temperature.
const KEYS = 200;
const REACH = 4;
const FARTHEST = 12;
const BIN = 0.5;
const COLDEST = 1 / 16;
const HOTTEST = 16;
const NEAR = 0.03; // a bell that is so near its start snaps back onto it
const SEEN = 4.4; // lengths and temperatures of the plot of what is found
const FLAT = Math.sqrt(2 * Math.PI);

const uniform = (n) => ((mulberry32(n) >>> 0) + 0.5) / 2 ** 32; // between 0 and 1

/** The keys: pairs of normal numbers by the method of Box and Muller (1958). */
const keys = range(KEYS).map((j) => {
  const radius = Math.sqrt(-2 * Math.log(uniform(2 * j)));
  const angle = 2 * Math.PI * uniform(2 * j + 1);
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
});

/**
 * Scores and weights of the keys, the length of the query, and how widely scores and weights are
 * spread.
 */
function compute({ query, temperature }) {
  const scores = keys.map((k) => dot(query, k) / temperature);
  const weights = softmax(scores);
  const mean = dot(
    scores,
    scores.map(() => 1 / KEYS),
  );
  const length = Math.hypot(...query);
  const deviation = Math.sqrt(scores.reduce((sum, s) => sum + (s - mean) ** 2, 0) / KEYS);
  const counts = range((2 * FARTHEST) / BIN).map(() => 0);
  let inside = 0;
  for (const s of scores) {
    const bin = Math.floor((s + FARTHEST) / BIN);
    if (bin >= 0 && bin < counts.length) {
      counts[bin] += 1;
      inside += 1;
    }
  }
  const entropy = -weights.reduce((sum, a) => sum + (a > 0 ? a * Math.log(a) : 0), 0);
  return {
    scores,
    weights,
    length,
    ratio: length / temperature,
    deviation,
    counts,
    outside: KEYS - inside,
    looks: Math.exp(entropy),
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ query, temperature }) {
  return (
    query.length === 2 &&
    query.every((x) => Math.abs(x) <= REACH) &&
    temperature >= COLDEST &&
    temperature <= HOTTEST
  );
}

const TALLEST = 60;
const BASE = 262;
const RULER = BASE - 16; // how far the standard deviation goes to both sides
const LEFT = 26; // places in the drawing of the scores, which is 300 wide and high
const along = (s) => LEFT + ((290 - LEFT) * (s + FARTHEST)) / (2 * FARTHEST);
const height = (count) => BASE - (246 * count) / TALLEST;

const onPlot = (x, up) => (up ? BASE - (246 * x) / SEEN : LEFT + ((290 - LEFT) * x) / SEEN);

/**
 * The normal density with standard deviation `ratio`, as the number of keys that a bin would have.
 */
function bell(ratio) {
  const at = (s) => (KEYS * BIN * Math.exp(-((s / ratio) ** 2) / 2)) / (ratio * FLAT);
  const places = range(241).map((i) => (i - 120) / 10);
  if (ratio < 0.1) return `${along(0)},${BASE} ${along(0)},${height(10 * TALLEST)}`; // as good as a line
  return places.map((s) => `${hundredth(along(s))},${hundredth(height(at(s)))}`).join(" ");
}

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const start = compute(first);
  const space = buildSpace(change);
  const histogram = buildHistogram(start, read, change);
  const found = buildFound();
  const remark = messageLine();
  const numbers = Object.fromEntries(
    ["length", "looks"].map((name) => [name, make("span", { "data-shows": name })]),
  );
  numbers.temperature = make("span");
  const sums = messageLine();
  tell(sums, "‖q‖ = {length}, T = {temperature}: the query looks at {looks} of 200 keys.", numbers);
  el.append(
    hintLine(
      "Stretch q, and the bell spreads. Narrow it with the handle until it lies on the dashed one. Which T does each length take?",
    ),
    div("live-planes", space.element, histogram.element, found.element),
    sums,
    remark,
    div("live-controls", button("Back to start", () => change(first))),
  );
  return { start, space, histogram, found, numbers, sums, remark };
}

const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });
const text = (x, y, words, anchor = "middle") => {
  const look = "live-label live-spread-text";
  return make("text", { class: look, x, y, "text-anchor": anchor }, words);
};
const LEVELS = range(13).map((i) => 2 * i - FARTHEST);

/** The keys, the query, and the lines on which all keys have one score. */
function buildSpace(change) {
  const { element, svg, px, pointHandle } = plane("Keys, by their weight", REACH, 28);
  element.classList.add("live-spread-space");
  const levels = LEVELS.map(() => line("live-spread-level", 0, 0, 0, 0));
  const ray = line("live-ray live-ink", 150, 150, 150, 150);
  const dots = keys.map((k) => {
    const [cx, cy] = px(k);
    return make("circle", { class: "live-spread-key", cx, cy });
  });
  svg.append(...levels, ...dots, ray);
  const move = pointHandle(_("query"), "live-ink", badge("q"), (query) => change({ query }));
  return { element, px, levels, ray, dots, move };
}

/** The scores as a histogram, with the normal density now and at the start, and the handle of its width. */
function buildHistogram(start, read, change) {
  const ticks = [-12, -8, -4, 0, 4, 8, 12].map((s) =>
    text(along(s), 282, String(s).replace("-", "−"))
  );
  const levels = LEVELS.map((s) => line("live-spread-level", along(s), 16, along(s), BASE));
  const width = (290 - LEFT) / start.counts.length - 1;
  const bars = start.counts.map((_x, i) =>
    make("rect", { class: "live-spread-bar", x: along(i * BIN - FARTHEST) + 0.5, width })
  );
  const ghost = make("polyline", { class: "live-spread-ghost", points: bell(start.ratio) });
  const curve = make("polyline", { class: "live-spread-curve" });
  const ruler = line("live-spread-ruler", 0, RULER, 0, RULER);
  const outside = text(288, 12, "", "end");
  const axis = line("live-axis", LEFT, BASE, 290, BASE);
  const look = { viewBox: "0 0 300 300", role: "group", "aria-label": "Histogram of the scores" };
  const svg = make("svg", look, levels, bars, axis, ghost, curve, ruler, ticks, outside);
  const put = (temperature) => {
    const { length } = compute(read());
    const back = length / start.ratio;
    const near = back && Math.abs(temperature / back - 1) < NEAR;
    change({ temperature: clamp(near ? back : temperature, COLDEST, HOTTEST) });
  };
  const drag = (x) => {
    const wide = (FARTHEST * (2 * x - LEFT - 290)) / (290 - LEFT);
    const { length } = compute(read());
    if (length) put(length / Math.max(wide, 0.1));
  };
  const step = (dx, dy) => put(read().temperature * 2 ** (-(dx + dy) / 16));
  const move = handle(svg, _("width of the bell"), "live-orange", badge("↔"), drag, step);
  const title = div("live-title", "Their scores q·k\u00a0/\u00a0T");
  return { element: div("live-plane", title, svg), bars, curve, ruler, outside, move };
}

/** The lengths and temperatures at which the bell was where it began. */
function buildFound() {
  const ticks = [1, 2, 3, 4].map((x) => [
    line("live-grid", onPlot(x), onPlot(0, true), onPlot(x), onPlot(SEEN, true)),
    line("live-grid", onPlot(0), onPlot(x, true), onPlot(SEEN), onPlot(x, true)),
    text(onPlot(x), 282, String(x)),
    text(onPlot(0) - 6, onPlot(x, true) + 5, String(x), "end"),
  ]);
  const names = [text(288, 297, "‖q‖", "end"), text(10, 18, "T", "start")];
  const axes = [
    line("live-axis", onPlot(0), onPlot(0, true), onPlot(SEEN), onPlot(0, true)),
    line("live-axis", onPlot(0), onPlot(0, true), onPlot(0), onPlot(SEEN, true)),
  ];
  const dots = make("g", { class: "live-spread-found" });
  const now = make("circle", { class: "live-spread-now", r: 8 });
  const look = { viewBox: "0 0 300 300", role: "img" };
  const svg = make("svg", look, ticks, axes, names, dots, now);
  const element = div("live-plane", div("live-title", "Where the bell is back"), svg);
  return { element, svg, dots, now, seen: new Set() };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { el, first, hidden }) {
  const { start, space, histogram, found, numbers, remark } = parts;
  el.toggleAttribute("data-hidden", hidden);
  drawSpace(space, state, result, hidden);
  drawHistogram(histogram, state, result);
  drawFound(found, state, result, isBack(result, start) && !hidden);
  write(numbers.length, show(result.length));
  write(numbers.temperature, show(state.temperature));
  write(numbers.looks, hidden ? "?" : show(result.looks, 0));
  write(remark, hidden ? "" : comparison(state, result, first, start));
}

function drawSpace(
  { px, levels, ray, dots, move },
  { query, temperature },
  { weights, length },
  hidden,
) {
  const [x2, y2] = px(query);
  set(ray, { x2, y2 });
  move(query);
  const radius = (weight) => (hidden ? 3 : hundredth(2 + 45 * Math.sqrt(weight)));
  dots.forEach((dot, j) => set(dot, { r: radius(weights[j]) }));
  levels.forEach((level, i) => {
    set(level, { visibility: length ? "visible" : "hidden" });
    if (!length) return;
    const [x, y] = query.map((c) => c / length);
    const far = (LEVELS[i] * temperature) / length;
    const end = (side) => px([far * x - 12 * side * y, far * y + 12 * side * x]).map(hundredth);
    const [[x1, y1], [x3, y3]] = [end(1), end(-1)];
    set(level, { x1, y1, x2: x3, y2: y3 });
  });
}

function drawHistogram({ bars, curve, ruler, outside, move }, { temperature }, result) {
  bars.forEach((bar, i) => {
    const y = height(Math.min(result.counts[i], TALLEST));
    set(bar, { y: hundredth(y), height: hundredth(BASE - y) });
  });
  set(curve, { points: bell(result.ratio) });
  const wide = Math.min(result.ratio, FARTHEST);
  set(ruler, { x1: hundredth(along(-wide)), x2: hundredth(along(wide)) });
  const bounds = { now: wide.toFixed(3), min: 0, max: FARTHEST };
  move([along(wide), RULER], `T ${show(temperature)}`, bounds);
  write(outside, result.outside ? `${result.outside} outside` : "");
}

const isBack = (result, start) => Math.abs(result.ratio - start.ratio) <= EXACT;

/** The state as a ring, and a dot that stays wherever the bell was back. */
function drawFound({ svg, dots, now, seen }, { temperature }, { length }, back) {
  const [x, y] = [length, temperature].map((number) => Math.min(number, SEEN)); // at the edge, if beyond it
  const place = { cx: hundredth(onPlot(x)), cy: hundredth(onPlot(y, true)) };
  const inside = length <= SEEN && temperature <= SEEN;
  set(now, place);
  const name = `${place.cx} ${place.cy}`;
  if (back && inside && !seen.has(name)) {
    seen.add(name);
    dots.append(make("circle", { ...place, r: 5 }));
  }
  set(svg, { "aria-label": `Lengths and temperatures with which the bell was back: ${seen.size}` });
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words: its two sentences, which hold numbers that `draw` writes. */
const speak = (_state, _result, { sums, remark, hidden }) =>
  hidden
    ? "Scores and weights are hidden until you have answered."
    : `${sums.textContent} ${remark.textContent}`;

/**
 * What has become of the weights since the start, once both the query and the temperature have
 * moved.
 */
function comparison(state, result, first, start) {
  if (state.temperature === first.temperature) return "";
  const gap = largestDifference([result.weights], [start.weights]);
  if (gap <= EXACT) {
    return "The bell is back, and each weight is what it was at the start: so is ‖q‖/T.";
  }
  if (isBack(result, start)) {
    return "The bell is back: ‖q‖/T is what it was at the start, though q points elsewhere.";
  }
  return "";
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
