// Softmax of three scores: the scores as bars, the weights as a point in the triangle of all weights.
const REACH = 6, COLDEST = 0.02, HOTTEST = 50, SMALLEST = Math.exp(-12); // the smallest weight that can be dragged to
const CORNERS = [[0, 0], [1, 0], [0.5, Math.sqrt(0.75)]];
const COLDNESS = [0, ...range(73).map((k) => 10 ** ((k - 36) / 12))]; // the curve is drawn at these values of 1/T

/** Where the weights lie in the triangle: Σ a_j corner_j. */
const place = (weights) => transpose(CORNERS).map((column) => dot(weights, column));

/** The weights, their point, the curve from T = ∞ to T = 0, and whether a constant in the scores matters. */
function compute({ scores, temperature }) {
  const at = (s) => softmax(s.map((x) => x / temperature));
  const weights = at(scores), mean = total(scores) / 3;
  const largest = Math.max(...scores), leads = scores.map((s) => Number(s === largest));
  const path = COLDNESS.map((cold) => place(softmax(scores.map((s) => cold * (s - largest)))));
  path.push(place(leads.map((x) => x / total(leads))));
  const spread = Math.exp(-total(weights.map((a) => (a > 0 ? a * Math.log(a) : 0))));
  const shiftGap = largestDifference(at(scores.map((s) => s - mean)), weights);
  return { weights, point: place(weights), path, mean, leads, spread, shiftGap };
}

/** The scores T ln a_j of a point, moved to the mean they had; what is out of reach comes as near as it can. */
function scoresAt([x, y], temperature, mean) {
  const third = y / CORNERS[2][1], second = x - third / 2;
  const weights = [1 - second - third, second, third].map((a) => Math.max(a, SMALLEST));
  const logs = weights.map((a) => temperature * Math.log(a)), middle = total(logs) / 3;
  const shrink = Math.min(1, (2 * REACH) / (Math.max(...logs) - Math.min(...logs)));
  const s = logs.map((l) => mean + shrink * (l - middle));
  const back = clamp(0, -REACH - Math.min(...s), REACH - Math.max(...s));
  return s.map((l) => clamp(l + back, -REACH, REACH));
}

/** Three typed scores, moved together so that they fit the drawing, and what is said about it; or why they are refused. */
function typedScores(text) {
  const scores = text.replaceAll("−", "-").split(/[\s,;，；、]+/).filter(Boolean).map(Number);
  if (scores.length !== 3 || !scores.every(Number.isFinite)) return { note: "Type three numbers, such as 2, 1, −1." };
  const low = Math.min(...scores), high = Math.max(...scores), c = clamp(0, -REACH - low, REACH - high);
  if (high - low > 2 * REACH) return { note: `The drawing holds scores that are at most ${2 * REACH} apart. These stay as they were.` };
  const by = +Math.abs(c).toFixed(2);
  return { scores: scores.map((s) => clamp(s + c, -REACH, REACH)),
    note: !c ? "" : c < 0 ? `The drawing ends at ±${REACH}, so ${by} was subtracted from each score. The weights are those of the scores you typed.`
      : `The drawing ends at ±${REACH}, so ${by} was added to each score. The weights are those of the scores you typed.` };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ scores, temperature }) {
  return scores.length === 3 && scores.every((s) => Math.abs(s) <= REACH) && temperature >= COLDEST
    && temperature <= HOTTEST;
}

const BOTTOM = 250, SIDE = 220; // places in the drawings, which are 300 wide and 290 high
const height = (s) => 135 - 20 * s, column = (j) => 80 + 70 * j;
const px = ([x, y]) => [40 + SIDE * x, BOTTOM - SIDE * y];

function panel(title, ...inside) {
  const svg = make("svg", { viewBox: "0 0 300 290", role: "group", "aria-label": title }, inside);
  return { svg, element: make("div", { class: "live-plane" }, make("div", { class: "live-title" }, title), svg) };
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), each = (f) => [0, 1, 2].map(f);
  const text = (x, y, words, look = {}) => make("text", { class: "live-label live-figures", x, y, ...look }, words);
  const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });
  const index = (letter, j) => `${letter}${"₁₂₃"[j]}`;

  // the scores
  const rules = [-6, -3, 0, 3, 6].map((s) => [line(s ? "live-grid" : "live-axis", 34, height(s), 300, height(s)),
    text(28, height(s) + 4, String(s).replace("-", "−"), { "text-anchor": "end" })]);
  const names = each((j) => text(column(j), 284, "", { "text-anchor": "middle" }));
  const bars = each((j) => make("rect", { class: `live-score-bar ${HUES[j]}`, x: column(j) - 22, width: 44 }));
  const level = make("g", {}, line("live-mean", 34, 0, 282, 0), text(266, -6, _("mean"), { "text-anchor": "end" }));
  const left = panel("Scores s", rules, names, bars, level);
  const raise = (j, s) => change({ scores: read().scores.map((old, i) => (i === j ? clamp(s, -REACH, REACH) : old)) });
  const toBar = (j) => (_, y) => raise(j, hundredth((height(0) - y) / 20));
  const moveBar = each((j) => handle(left.svg, `score ${j + 1}, ${LOOKS[j]}`, HUES[j], mark(j, 9), toBar(j),
    (dx, dy) => raise(j, read().scores[j] + (dx + dy) / 10)));
  bars.forEach((bar, j) => draggable(bar, left.svg, toBar(j)));

  // the triangle
  const outline = (points) => points.map((p) => px(p).join()).join(" ");
  const beyond = (j, t) => place(each((i) => (i === j ? (1 + 2 * t) / 3 : (1 - t) / 3))); // corner j at t = 1
  const medians = each((j) => line("live-grid", ...px(beyond(j, 1)), ...px(beyond(j, -0.5))));
  const at = (point) => ({ transform: `translate(${px(point).map((x) => x.toFixed(2)).join(" ")})` });
  const corners = each((j) => make("g", { class: `live-corner ${HUES[j]}`, ...at(beyond(j, 1.15)) }, mark(j, 8)));
  const discs = each((j) => make("circle", { class: `live-weight ${HUES[j]}`, ...at(CORNERS[j]) }));
  const numbers = each((j) => make("tspan", { "data-shows": `weights ${j}` }));
  const sides = [[5, "start", 284], [295, "end", 284], [150, "middle", 20]];
  const labels = each((j) => text(sides[j][0], sides[j][2], "", { "text-anchor": sides[j][1] }));
  labels.forEach((label, j) => label.append(make("tspan", {}, `${index("a", j)} = `), numbers[j]));
  const path = make("polyline", { class: "live-path" }), end = make("circle", { class: "live-limit", r: 5 });
  const right = panel("Weights softmax(s/T)", make("polygon", { class: "live-hull", points: outline(CORNERS) }),
    medians, path, discs, corners, end, labels);
  let here = [0, 0];
  const drag = (point) => {
    const { scores, temperature } = read();
    change({ scores: scoresAt(point, temperature, total(scores) / 3) });
  };
  const movePoint = handle(right.svg, "weights, a point in the triangle", "live-ink", make("circle", { r: 6 }),
    (x, y) => drag([(x - 40) / SIDE, (BOTTOM - y) / SIDE]), (dx, dy) => drag([here[0] + dx / 50, here[1] + dy / 50]));

  // all three bars at once
  const lift = (by) => {
    const { scores } = read(), c = clamp(by, -REACH - Math.min(...scores), REACH - Math.max(...scores));
    if (c) change({ scores: scores.map((s) => s + c) });
  };
  const grip = make("rect", { x: -11, y: -5, width: 22, height: 10, rx: 5 });
  const moveAll = handle(left.svg, "mean, which takes all three scores along", "live-ink", grip,
    (x, y) => lift(hundredth((135 - y) / 20 - total(read().scores) / 3)), (dx, dy) => lift((dx + dy) / 10));

  // controls
  const log = { min: -1.65, max: 1.65, step: 0.05, text: (x) => show(10 ** x, x < -0.7 ? 3 : 2) };
  const temperature = slider("temperature T", log, (x) => change({ temperature: 10 ** x }));
  let note = "";
  const typed = make("input", { type: "text", id: newId(), class: "live-three", autocomplete: "off", onchange() {
    const result = typedScores(typed.value);
    ({ note } = result);
    if (result.scores) change({ scores: result.scores }); else update();
    fill(read().scores);
  } });
  const fill = (scores) => { typed.value = scores.map((s) => +s.toFixed(2)).join(", ").replaceAll("-", "−"); };
  const message = make("p", { class: "live-verdict" }), laws = make("ul", { class: "live-verdicts" });
  el.append(make("p", { class: "live-hint" }, "Drag a bar, and the grip that takes all three along. Which of them move the point? Can it reach a corner?"),
    make("div", { class: "live-planes live-lean" }, left.element, right.element),
    make("div", { class: "live-controls" }, temperature.element, control("scores s", typed, typed.id),
      button("Back to start", () => change(first))), message, laws);
  const speak = setUp(model, el, update);
  let before = null, shifted = 0;

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    const seen = { visibility: hidden ? "hidden" : "visible" }, reach = { min: -REACH, max: REACH };
    each((j) => {
      const s = state.scores[j], a = result.weights[j], number = a < 5e-4 ? tiny(a) : show(a, 3);
      set(bars[j], { y: Math.min(height(s), height(0)), height: Math.abs(height(s) - height(0)) });
      moveBar[j]([column(j), height(s)], show(s), { now: s.toFixed(2), ...reach });
      write(names[j], `${index("s", j)} = ${show(s)}`);
      set(discs[j], { r: (26 * Math.sqrt(a)).toFixed(2), ...seen });
      write(numbers[j], hidden ? "?" : number);
    });
    if (document.activeElement !== typed) fill(state.scores);
    moveAll([282, height(result.mean)], `mean ${show(result.mean)}`, { now: result.mean.toFixed(2), ...reach });
    set(level, { transform: `translate(0 ${height(result.mean)})` });
    here = result.point;
    const spoken = result.weights.map((a) => show(a, 3)).join(", ");
    movePoint(px(here), `weights ${spoken}`, { now: result.weights[0].toFixed(3), min: 0, max: 1 });
    set(end, { ...at(result.path.at(-1)), ...seen });
    set(path, { points: outline(result.path), ...seen });
    set(right.svg.lastChild, seen);
    temperature.put(Math.log10(state.temperature));
    const by = shiftOf(state, result, before); // the shifts since anything else was changed count together
    shifted = by && shifted + by;
    write(message, hidden ? "The point is hidden until you have answered." : paragraph(note, sentence(state, result, by, shifted)));
    note = "";
    laws.replaceChildren(by ? verdict(_("softmax((s − mean)/T)"), "softmax(s/T)", result.shiftGap) : "");
    before = { ...state, weights: result.weights };
    speak(message.textContent);
  }
  update();
}

/** What was added to every score since the state `before`, where that is all that has changed; otherwise 0. */
function shiftOf({ scores, temperature }, { weights }, before) {
  const steps = before ? scores.map((s, j) => s - before.scores[j]) : [0];
  const same = before?.temperature === temperature && largestDifference(before.weights, weights) <= EXACT;
  return same && steps.every((c) => Math.abs(c - steps[0]) <= EXACT) && Math.abs(steps[0]) > EXACT ? steps[0] : 0;
}

/** What the figure says in words; `by` was added to every score just now, `shifted` since anything else changed. */
function sentence({ scores }, { weights, leads, spread }, by, shifted) {
  if (by) {
    return paragraph(Math.abs(shifted) <= EXACT ? "You have undone what you did to every score."
      : shifted > 0 ? `You have added ${show(shifted)} to every score.` : `You have subtracted ${show(-shifted)} from every score.`,
    "The point has not moved: only differences of scores count.");
  }
  const all = [0, 1, 2], best = all.filter((j) => leads[j]);
  if (best.length === 3) return "All scores are equal, and so are all weights, at every temperature.";
  const equal = listed(all.filter((j) => all.some((l) => l !== j && scores[l] === scores[j])).map((j) => j + 1));
  const tie = equal && `Scores ${equal} are equal, and so are their weights, at every temperature.`;
  if (best.length === 2) return paragraph(tie, "As T falls to 0, the point goes to the middle of a side and never gets there.");
  const rest = all.filter((j) => !leads[j]).map((j) => tiny(weights[j]));
  if (weights[best[0]] > 0.999) {
    return `The point seems to lie in corner ${best[0] + 1}, but the other weights are ${listed(rest)}, not 0.`;
  }
  return tie || `These weights look at ${show(spread, 1)} of 3 keys.`;
}

export default { initialize, render, compute, valid };
