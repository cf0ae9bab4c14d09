// One query against 200 normal keys: the longer the query, the wider its scores, as at a lower
// temperature.
const KEYS = 200;
const REACH = 4;
const FARTHEST = 12;
const BIN = 0.5;
const COLDEST = 1 / 16;
const HOTTEST = 16;
const LONGEST = 2; // the slider goes to a length of 2^2
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

const TALLEST = 90;
const BASE = 262;
const LEFT = 26; // places in the drawing of the scores, which is 300 wide and high
const along = (s) => LEFT + ((290 - LEFT) * (s + FARTHEST)) / (2 * FARTHEST);
const height = (count) => BASE - (246 * count) / TALLEST;

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
  const histogram = buildHistogram(start);
  const sliders = buildSliders(read, change);
  const remark = messageLine();
  const numbers = Object.fromEntries(
    ["deviation", "ratio", "looks"].map((name) => [name, make("span", { "data-shows": name })]),
  );
  const sums = messageLine();
  tell(
    sums,
    "Standard deviation {deviation}, ‖q‖/T {ratio}. The query looks at {looks} of 200 keys.",
    numbers,
  );
  el.append(
    hintLine(
      "Make q twice as long. What happens to scores and weights, and which T takes them back?",
    ),
    div("live-planes", space.element, histogram.element),
    make(
      "p",
      { class: "live-spread-legend" },
      "Curve: the normal density with standard deviation ‖q‖/T. Dashed: at the start.",
    ),
    div(
      "live-controls",
      sliders.length.element,
      sliders.temperature.element,
      button("Back to start", () => change(first)),
    ),
    sums,
    remark,
  );
  return { start, space, histogram, sliders, numbers, sums, remark };
}

const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });
const text = (x, y, words, anchor = "middle") => {
  const look = "live-label live-spread-text";
  return make("text", { class: look, x, y, "text-anchor": anchor }, words);
};

/** The keys and the query. */
function buildSpace(change) {
  const { element, svg, px, pointHandle } = plane("Keys, as large as their weight", REACH, 28);
  const ray = line("live-ray live-ink", 150, 150, 150, 150);
  const dots = keys.map((k) => {
    const [cx, cy] = px(k);
    return make("circle", { class: "live-spread-key", cx, cy });
  });
  svg.append(...dots, ray);
  const move = pointHandle(_("query"), "live-ink", badge("q"), (query) => change({ query }));
  return { element, px, ray, dots, move };
}

/** The scores as a histogram, with the normal density now and at the start. */
function buildHistogram(start) {
  const ticks = [-12, -8, -4, 0, 4, 8, 12].map((s) =>
    text(along(s), 282, String(s).replace("-", "−"))
  );
  const rules = [20, 40, 60, 80].map((n) => [
    line("live-grid", LEFT, height(n), 290, height(n)),
    text(LEFT - 4, height(n) + 4, String(n), "end"),
  ]);
  const width = (290 - LEFT) / start.counts.length - 1;
  const bars = start.counts.map((_, i) =>
    make("rect", { class: "live-spread-bar", x: along(i * BIN - FARTHEST) + 0.5, width })
  );
  const ghost = make("polyline", { class: "live-spread-ghost", points: bell(start.ratio) });
  const curve = make("polyline", { class: "live-spread-curve" });
  const outside = text(288, 24, "", "end");
  const axis = line("live-axis", LEFT, BASE, 290, BASE);
  const look = { viewBox: "0 0 300 300", role: "img", "aria-label": "Histogram of the scores" };
  const svg = make("svg", look, rules, bars, axis, ghost, curve, ticks, outside);
  const title = div("live-title", "Number of keys by score q·k\u00a0/\u00a0T");
  return { element: div("live-plane", title, svg), bars, curve, outside };
}

/** The sliders, which go by a quarter of a doubling. */
function buildSliders(read, change) {
  const octaves = (text, max) => ({ min: -2, max, step: 0.25, text });
  const stretch = (x) => {
    const { query } = read();
    const now = Math.hypot(...query);
    const way = now ? query.map((c) => c / now) : [1, 0];
    change({ query: way.map((c) => clamp(c * 2 ** x, -REACH, REACH)) });
  };
  const lengths = octaves(() => show(Math.hypot(...read().query)), LONGEST);
  const temperatures = octaves(() => show(read().temperature), 2);
  return {
    length: slider("length ‖q‖", lengths, stretch),
    temperature: slider("temperature T", temperatures, (x) => change({ temperature: 2 ** x })),
  };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { el, first, hidden }) {
  const { start, space, histogram, sliders, numbers, remark } = parts;
  el.toggleAttribute("data-hidden", hidden);
  drawSpace(space, state, result, hidden);
  drawHistogram(histogram, result);
  for (const [name, digits] of [["deviation", 2], ["ratio", 2], ["looks", 1]]) {
    write(numbers[name], hidden ? "?" : show(result[name], digits));
  }
  sliders.length.put(clamp(Math.log2(result.length || 1e-9), -2, LONGEST));
  sliders.temperature.put(Math.log2(state.temperature));
  write(remark, hidden ? "" : comparison(state, result, first, start));
}

function drawSpace({ px, ray, dots, move }, { query }, { weights }, hidden) {
  const [x2, y2] = px(query);
  set(ray, { x2, y2 });
  move(query);
  const radius = (weight) => (hidden ? 3 : hundredth(2 + 45 * Math.sqrt(weight)));
  dots.forEach((dot, j) => set(dot, { r: radius(weights[j]) }));
}

function drawHistogram({ bars, curve, outside }, result) {
  bars.forEach((bar, i) => {
    const y = height(Math.min(result.counts[i], TALLEST));
    set(bar, { y: hundredth(y), height: hundredth(BASE - y) });
  });
  set(curve, { points: bell(result.ratio) });
  write(outside, result.outside ? `${result.outside} outside` : "");
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
    return `Each weight is what it was at the start, and so is ‖q‖/T. Largest difference: ${
      tiny(gap)
    }.`;
  }
  if (Math.abs(result.ratio - start.ratio) <= EXACT) {
    return "‖q‖/T is what it was at the start, but q points elsewhere.";
  }
  return "";
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
