// One query against 200 normal keys: the longer the query, the wider its scores, as at a lower temperature.
const KEYS = 200, REACH = 4, FARTHEST = 12, BIN = 0.5, COLDEST = 1 / 16, HOTTEST = 16;
const LONGEST = 2; // the slider goes to a length of 2^2
const FLAT = Math.sqrt(2 * Math.PI);

const uniform = (n) => ((mulberry32(n) >>> 0) + 0.5) / 2 ** 32; // between 0 and 1

/** The keys: pairs of normal numbers by the method of Box and Muller (1958). */
const keys = range(KEYS).map((j) => {
  const radius = Math.sqrt(-2 * Math.log(uniform(2 * j))), angle = 2 * Math.PI * uniform(2 * j + 1);
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
});

/** Scores and weights of the keys, the length of the query, and how widely scores and weights are spread. */
function compute({ query, temperature }) {
  const scores = keys.map((k) => dot(query, k) / temperature), weights = softmax(scores);
  const mean = dot(scores, scores.map(() => 1 / KEYS)), length = Math.hypot(...query);
  const deviation = Math.sqrt(scores.reduce((sum, s) => sum + (s - mean) ** 2, 0) / KEYS);
  const counts = range((2 * FARTHEST) / BIN).map(() => 0);
  let inside = 0;
  for (const s of scores) {
    const bin = Math.floor((s + FARTHEST) / BIN);
    if (bin >= 0 && bin < counts.length) { counts[bin] += 1; inside += 1; }
  }
  const entropy = -weights.reduce((sum, a) => sum + (a > 0 ? a * Math.log(a) : 0), 0);
  return { scores, weights, length, ratio: length / temperature, deviation, counts, outside: KEYS - inside,
    looks: Math.exp(entropy) };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ query, temperature }) {
  return query.length === 2 && query.every((x) => Math.abs(x) <= REACH) && temperature >= COLDEST && temperature <= HOTTEST;
}

const TALLEST = 90, BASE = 262, LEFT = 26; // places in the drawing of the scores, which is 300 wide and high
const along = (s) => LEFT + ((290 - LEFT) * (s + FARTHEST)) / (2 * FARTHEST);
const height = (count) => BASE - (246 * count) / TALLEST;

/** The normal density with standard deviation `ratio`, as the number of keys that a bin would have. */
function bell(ratio) {
  const at = (s) => (KEYS * BIN * Math.exp(-((s / ratio) ** 2) / 2)) / (ratio * FLAT);
  const places = range(241).map((i) => (i - 120) / 10);
  if (ratio < 0.1) return `${along(0)},${BASE} ${along(0)},${height(10 * TALLEST)}`; // as good as a line
  return places.map((s) => `${hundredth(along(s))},${hundredth(height(at(s)))}`).join(" ");
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), start = compute(first);
  const text = (x, y, words, anchor = "middle") => make("text", { class: "live-label live-spread-text", x, y, "text-anchor": anchor }, words);
  const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });

  // the keys and the query
  const left = plane("Keys, as large as their weight", REACH, 28), ray = line("live-ray live-ink", 150, 150, 150, 150);
  const dots = keys.map((k) => { const [cx, cy] = left.px(k); return make("circle", { class: "live-spread-key", cx, cy }); });
  left.svg.append(...dots, ray);
  const put = (query) => change({ query });
  const move = left.pointHandle(_("query"), "live-ink", badge("q"), put);

  // the scores
  const ticks = [-12, -8, -4, 0, 4, 8, 12].map((s) => text(along(s), 282, String(s).replace("-", "−")));
  const rules = [20, 40, 60, 80].map((n) => [line("live-grid", LEFT, height(n), 290, height(n)),
    text(LEFT - 4, height(n) + 4, String(n), "end")]);
  const bars = start.counts.map((_, i) =>
    make("rect", { class: "live-spread-bar", x: along(i * BIN - FARTHEST) + 0.5, width: (290 - LEFT) / start.counts.length - 1 }));
  const ghost = make("polyline", { class: "live-spread-ghost", points: bell(start.ratio) });
  const curve = make("polyline", { class: "live-spread-curve" }), outside = text(288, 24, "", "end");
  const svg = make("svg", { viewBox: "0 0 300 300", role: "img", "aria-label": "Histogram of the scores" }, rules,
    bars, line("live-axis", LEFT, BASE, 290, BASE), ghost, curve, ticks, outside);
  const right = make("div", { class: "live-plane" }, make("div", { class: "live-title" }, "Number of keys by score q·k\u00a0/\u00a0T"), svg);

  // controls; a slider goes by a quarter of a doubling
  const octaves = (text, min, max) => ({ min, max, step: 0.25, text });
  const length = slider("length ‖q‖", octaves(() => show(Math.hypot(...read().query)), -2, LONGEST), (x) => {
    const { query } = read(), now = Math.hypot(...query);
    put((now ? query.map((c) => c / now) : [1, 0]).map((c) => clamp(c * 2 ** x, -REACH, REACH)));
  });
  const temperature = slider("temperature T", octaves(() => show(read().temperature), -2, 2), (x) => change({ temperature: 2 ** x }));
  const message = make("p", { class: "live-verdict" }), remark = make("p", { class: "live-verdict" });
  const shown = Object.fromEntries(["deviation", "ratio", "looks"].map((name) => [name, make("span", { "data-shows": name })]));
  tell(message, "Standard deviation {deviation}, ‖q‖/T {ratio}. The query looks at {looks} of 200 keys.", shown);
  el.append(make("p", { class: "live-hint" }, "Make q twice as long. What happens to scores and weights, and which T takes them back?"),
  make("div", { class: "live-planes" }, left.element, right), make("p", { class: "live-spread-legend" },
    "Curve: the normal density with standard deviation ‖q‖/T. Dashed: at the start."),
  make("div", { class: "live-controls" }, length.element, temperature.element, button("Back to start", () => change(first))), message, remark);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    el.toggleAttribute("data-hidden", hidden);
    const [x2, y2] = left.px(state.query);
    set(ray, { x2, y2 });
    move(state.query);
    dots.forEach((dot, j) => set(dot, { r: hidden ? 3 : hundredth(2 + 45 * Math.sqrt(result.weights[j])) }));
    bars.forEach((bar, i) => {
      const y = height(Math.min(result.counts[i], TALLEST));
      set(bar, { y: hundredth(y), height: hundredth(BASE - y) });
    });
    set(curve, { points: bell(result.ratio) });
    write(outside, result.outside ? `${result.outside} outside` : "");
    for (const [name, digits] of [["deviation", 2], ["ratio", 2], ["looks", 1]]) {
      write(shown[name], hidden ? "?" : show(result[name], digits));
    }
    length.put(clamp(Math.log2(result.length || 1e-9), -2, LONGEST));
    temperature.put(Math.log2(state.temperature));
    write(remark, hidden ? "" : comparison(state, result, first, start));
    speak(hidden ? "Scores and weights are hidden until you have answered." : `${message.textContent} ${remark.textContent}`);
  }
  update();
}

/** What has become of the weights since the start, once both the query and the temperature have moved. */
function comparison(state, result, first, start) {
  if (state.temperature === first.temperature) return "";
  const gap = largestDifference([result.weights], [start.weights]);
  if (gap <= EXACT) return `Each weight is what it was at the start, and so is ‖q‖/T. Largest difference: ${tiny(gap)}.`;
  if (Math.abs(result.ratio - start.ratio) <= EXACT) return "‖q‖/T is what it was at the start, but q points elsewhere.";
  return "";
}

export default { initialize, render, compute, valid };
