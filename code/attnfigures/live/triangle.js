// Softmax of three scores: the scores as bars, the weights as a point in the triangle of all
// weights.
const REACH = 6;
const COLDEST = 0.02;
const HOTTEST = 50;
const SMALLEST = Math.exp(-12); // the smallest weight that can be dragged to
const CORNERS = [
  [0, 0],
  [1, 0],
  [0.5, Math.sqrt(0.75)],
];

/** The values of 1/T at which the curve is drawn. */
const COLDNESS = [0, ...range(73).map((k) => 10 ** ((k - 36) / 12))];

/** Where the weights lie in the triangle: Σ a_j corner_j. */
const place = (weights) => transpose(CORNERS).map((column) => dot(weights, column));

/**
 * The weights, their point, the curve from T = ∞ to T = 0, and whether a constant in the scores
 * matters.
 */
function compute({ scores, temperature }) {
  const at = (s) => softmax(s.map((x) => x / temperature));
  const weights = at(scores);
  const mean = total(scores) / 3;
  const largest = Math.max(...scores);
  const leads = scores.map((s) => Number(s === largest));
  const path = COLDNESS.map((cold) => place(softmax(scores.map((s) => cold * (s - largest)))));
  path.push(place(leads.map((x) => x / total(leads))));
  const spread = Math.exp(-total(weights.map((a) => (a > 0 ? a * Math.log(a) : 0))));
  const shiftGap = largestDifference(at(scores.map((s) => s - mean)), weights);
  return { weights, point: place(weights), path, mean, leads, spread, shiftGap };
}

/**
 * The scores T ln a_j of a point, moved to the mean they had; what is out of reach comes as near as
 * it can.
 */
function scoresAt([x, y], temperature, mean) {
  const third = y / CORNERS[2][1];
  const second = x - third / 2;
  const weights = [1 - second - third, second, third].map((a) => Math.max(a, SMALLEST));
  const logs = weights.map((a) => temperature * Math.log(a));
  const middle = total(logs) / 3;
  const shrink = Math.min(1, (2 * REACH) / (Math.max(...logs) - Math.min(...logs)));
  const s = logs.map((l) => mean + shrink * (l - middle));
  const back = clamp(0, -REACH - Math.min(...s), REACH - Math.max(...s));
  return s.map((l) => clamp(l + back, -REACH, REACH));
}

/**
 * Three typed scores, moved together so that they fit the drawing, and what is said about it; or
 * why they are refused.
 */
function typedScores(text) {
  const scores = text
    .replaceAll("−", "-")
    .split(/[\s,;，；、]+/)
    .filter(Boolean)
    .map(Number);
  if (scores.length !== 3 || !scores.every(Number.isFinite)) {
    return { note: "Type three numbers, such as 2, 1, −1." };
  }
  const low = Math.min(...scores);
  const high = Math.max(...scores);
  const most = 2 * REACH;
  if (high - low > most) {
    return {
      note: `The drawing holds scores that are at most ${most} apart. These stay as they were.`,
    };
  }
  const c = clamp(0, -REACH - low, REACH - high);
  return { scores: scores.map((s) => clamp(s + c, -REACH, REACH)), note: fitted(c) };
}

/** What is said where c was added to typed scores so that they fit the drawing. */
function fitted(c) {
  if (!c) return "";
  const by = +Math.abs(c).toFixed(2);
  return c < 0
    ? `The drawing ends at ±${REACH}, so ${by} was subtracted from each score. The weights are those of the scores you typed.`
    : `The drawing ends at ±${REACH}, so ${by} was added to each score. The weights are those of the scores you typed.`;
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ scores, temperature }) {
  return (
    scores.length === 3 &&
    scores.every((s) => Math.abs(s) <= REACH) &&
    temperature >= COLDEST &&
    temperature <= HOTTEST
  );
}

// ---- build: the drawings are 300 wide and 290 high -----------------------------------------------

const BOTTOM = 250; // the triangle
const SIDE = 220;
const ALL = [0, 1, 2];
const each = (f) => ALL.map(f);
const height = (s) => 135 - 20 * s;
const column = (j) => 80 + 70 * j;
const px = ([x, y]) => [40 + SIDE * x, BOTTOM - SIDE * y];
const at = (point) => {
  const [x, y] = px(point).map((c) => c.toFixed(2));
  return { transform: `translate(${x} ${y})` };
};
const outline = (points) => points.map((p) => px(p).join()).join(" ");
const index = (letter, j) => `${letter}${"₁₂₃"[j]}`;
const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });
const text = (x, y, words, look = {}) =>
  make("text", { class: "live-label live-figures", x, y, ...look }, words);

function panel(title, ...inside) {
  const svg = make("svg", { viewBox: "0 0 300 290", role: "group", "aria-label": title }, inside);
  return { svg, element: div("live-plane", div("live-title", title), svg) };
}

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const parts = { typedNote: "", before: null, shifted: 0 };
  parts.bars = buildBars(read, change);
  parts.triangle = buildTriangle(read, change);
  parts.moveAll = buildGrip(parts.bars.svg, read, change); // above all bars
  const log = { min: -1.65, max: 1.65, step: 0.05, text: (x) => show(10 ** x, x < -0.7 ? 3 : 2) };
  parts.temperature = slider("temperature T", log, (x) => change({ temperature: 10 ** x }));
  parts.typed = buildTyped(parts, read, change);
  parts.message = messageLine();
  parts.laws = verdictList();
  el.append(
    hintLine(
      "Drag a bar, and the grip that takes all three along. Which of them move the point? Can it reach a corner?",
    ),
    div("live-planes live-lean", parts.bars.element, parts.triangle.element),
    div(
      "live-controls",
      parts.temperature.element,
      control("scores s", parts.typed.input, parts.typed.input.id),
      button("Back to start", () => change(first)),
    ),
    parts.message,
    parts.laws,
  );
  return parts;
}

/** The scores as bars, each with a handle, and the line of their mean. */
function buildBars(read, change) {
  const rules = [-6, -3, 0, 3, 6].map((s) => [
    line(s ? "live-grid" : "live-axis", 34, height(s), 300, height(s)),
    text(28, height(s) + 4, String(s).replace("-", "−"), { "text-anchor": "end" }),
  ]);
  const names = each((j) => text(column(j), 284, "", { "text-anchor": "middle" }));
  const bars = each((j) =>
    make("rect", { class: `live-score-bar ${HUES[j]}`, x: column(j) - 22, width: 44 })
  );
  const mean = text(266, -6, _("mean"), { "text-anchor": "end" });
  const level = make("g", {}, line("live-mean", 34, 0, 282, 0), mean);
  const { svg, element } = panel("Scores s", rules, names, bars, level);
  const raise = (j, s) => {
    const score = clamp(s, -REACH, REACH);
    change({ scores: read().scores.map((old, i) => (i === j ? score : old)) });
  };
  const moves = each((j) => {
    const drag = (_x, y) => raise(j, hundredth((height(0) - y) / 20));
    const step = (dx, dy) => raise(j, read().scores[j] + (dx + dy) / 10);
    draggable(bars[j], svg, drag);
    return handle(svg, `score ${j + 1}, ${LOOKS[j]}`, HUES[j], mark(j, 9), drag, step);
  });
  return { svg, element, names, bars, level, moves };
}

/** The triangle of all weights, with a disc at each corner and a handle for the point. */
function buildTriangle(read, change) {
  // on the line from the middle of the triangle (t = 0) to corner j (t = 1)
  const towards = (j, t) => place(each((i) => (i === j ? (1 + 2 * t) / 3 : (1 - t) / 3)));
  const medians = each((j) => line("live-grid", ...px(towards(j, 1)), ...px(towards(j, -0.5))));
  const corners = each((j) =>
    make("g", { class: `live-corner ${HUES[j]}`, ...at(towards(j, 1.15)) }, mark(j, 8))
  );
  const discs = each((j) => make("circle", { class: `live-weight ${HUES[j]}`, ...at(CORNERS[j]) }));
  const numbers = each((j) => make("tspan", { "data-shows": `weights ${j}` }));
  const sides = [[5, "start", 284], [295, "end", 284], [150, "middle", 20]];
  const labels = each((j) => {
    const [x, anchor, y] = sides[j];
    const name = make("tspan", {}, `${index("a", j)} = `);
    return text(x, y, [name, numbers[j]], { "text-anchor": anchor });
  });
  const path = make("polyline", { class: "live-path" });
  const end = make("circle", { class: "live-limit", r: 5 });
  const trail = range(TRAIL).map((k) =>
    make("circle", {
      class: "live-trail",
      r: 2.2,
      "fill-opacity": (0.55 * (1 - k / TRAIL)).toFixed(2),
    })
  );
  const hull = make("polygon", { class: "live-hull", points: outline(CORNERS) });
  const title = "Weights softmax(s/T)";
  const { svg, element } = panel(title, hull, medians, path, discs, corners, trail, end, labels);
  const go = (point) => {
    const { scores, temperature } = read();
    change({ scores: scoresAt(point, temperature, total(scores) / 3) });
  };
  const drag = (x, y) => go([(x - 40) / SIDE, (BOTTOM - y) / SIDE]);
  const step = (dx, dy) => {
    const [x, y] = compute(read()).point;
    go([x + dx / 50, y + dy / 50]);
  };
  const name = "weights, a point in the triangle";
  const move = handle(svg, name, "live-ink", make("circle", { r: 6 }), drag, step);
  return { svg, element, discs, numbers, path, end, move, trail, been: [] };
}

/** The grip that takes all three bars along. */
function buildGrip(svg, read, change) {
  const lift = (by) => {
    const { scores } = read();
    const c = clamp(by, -REACH - Math.min(...scores), REACH - Math.max(...scores));
    if (c) change({ scores: scores.map((s) => s + c) });
  };
  const grip = make("rect", { x: -11, y: -5, width: 22, height: 10, rx: 5 });
  const drag = (_x, y) => lift(hundredth((135 - y) / 20 - total(read().scores) / 3));
  const step = (dx, dy) => lift((dx + dy) / 10);
  return handle(svg, "mean, which takes all three scores along", "live-ink", grip, drag, step);
}

/** The field for three scores. */
function buildTyped(parts, read, change) {
  const fill = (scores) => {
    const numbers = scores.map((s) => +s.toFixed(2));
    input.value = numbers.join(", ").replaceAll("-", "−");
  };
  const onchange = () => {
    const { scores, note } = typedScores(input.value);
    parts.typedNote = note;
    if (scores) change({ scores });
    else parts.update();
    fill(read().scores);
  };
  const look = { type: "text", id: newId(), class: "live-three", autocomplete: "off", onchange };
  const input = make("input", look);
  return { input, fill };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  parts.note = parts.typedNote; // what is said of a typed score is said once
  parts.typedNote = "";
  drawBars(parts, state, result);
  drawTriangle(parts.triangle, result, hidden);
  if (document.activeElement !== parts.typed.input) parts.typed.fill(state.scores);
  parts.temperature.put(Math.log10(state.temperature));
  parts.by = shiftOf(state, result, parts.before);
  parts.shifted = parts.by && parts.shifted + parts.by; // shifts in a row count together
  parts.before = { ...state, weights: result.weights };
  parts.laws.replaceChildren(
    parts.by ? verdict(_("softmax((s − mean)/T)"), "softmax(s/T)", result.shiftGap) : "",
  );
}

function drawBars({ bars: { names, bars, level, moves }, moveAll }, { scores }, { mean }) {
  const reach = { min: -REACH, max: REACH };
  const zero = height(0);
  each((j) => {
    const s = scores[j];
    const y = height(s);
    set(bars[j], { y: Math.min(y, zero), height: Math.abs(y - zero) });
    moves[j]([column(j), y], show(s), { now: s.toFixed(2), ...reach });
    write(names[j], `${index("s", j)} = ${show(s)}`);
  });
  set(level, { transform: `translate(0 ${height(mean)})` });
  moveAll([282, height(mean)], `mean ${show(mean)}`, { now: mean.toFixed(2), ...reach });
}

const TRAIL = 48; // points

/** The places where the point has been, the last of them first. */
function drawTrail({ trail, been }, point, hidden) {
  const last = been[0];
  const far = !last || Math.hypot(...last.map((x, c) => x - point[c])) > 0.008;
  if (far && !hidden) been.unshift(point);
  been.length = Math.min(been.length, TRAIL);
  trail.forEach((dot, k) => {
    set(dot, { visibility: been[k] && !hidden ? null : "hidden" });
    if (been[k]) set(dot, at(been[k]));
  });
}

function drawTriangle(triangle, result, hidden) {
  const { svg, discs, numbers, path, end, move } = triangle;
  const { weights, point } = result;
  drawTrail(triangle, point, hidden);
  const seen = { visibility: hidden ? "hidden" : "visible" };
  each((j) => {
    const a = weights[j];
    const number = a < 5e-4 ? tiny(a) : show(a, 3);
    set(discs[j], { r: (26 * Math.sqrt(a)).toFixed(2), ...seen });
    write(numbers[j], hidden ? "?" : number);
  });
  const spoken = weights.map((a) => show(a, 3)).join(", ");
  move(px(point), `weights ${spoken}`, { now: weights[0].toFixed(3), min: 0, max: 1 });
  set(end, { ...at(result.path.at(-1)), ...seen });
  set(path, { points: outline(result.path), ...seen });
  set(svg.lastChild, seen);
}

/**
 * What was added to every score since the state `before`, where that is all that has changed;
 * otherwise 0.
 */
function shiftOf({ scores, temperature }, { weights }, before) {
  if (before?.temperature !== temperature) return 0;
  if (largestDifference(before.weights, weights) > EXACT) return 0;
  const [by, ...others] = scores.map((s, j) => s - before.scores[j]);
  const alike = others.every((c) => Math.abs(c - by) <= EXACT);
  return alike && Math.abs(by) > EXACT ? by : 0;
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, result, parts) {
  if (parts.hidden) return "The point is hidden until you have answered.";
  return paragraph(parts.note, parts.by ? shiftedText(parts.shifted) : sentence(state, result));
}

/** What is said once all scores have been moved together, by `shifted` since anything else was. */
function shiftedText(shifted) {
  const still = "The point has not moved: only differences of scores count.";
  if (Math.abs(shifted) <= EXACT) {
    return paragraph("You have undone what you did to every score.", still);
  }
  const done = shifted > 0
    ? `You have added ${show(shifted)} to every score.`
    : `You have subtracted ${show(-shifted)} from every score.`;
  return paragraph(done, still);
}

/** What is said of the scores and the point. */
function sentence({ scores }, { weights, leads, spread }) {
  const best = ALL.filter((j) => leads[j]);
  if (best.length === 3) {
    return "All scores are equal, and so are all weights, at every temperature.";
  }
  const equal = ALL.filter((j) => ALL.some((l) => l !== j && scores[l] === scores[j]));
  const names = listed(equal.map((j) => j + 1));
  const tie = names && tied(names);
  if (best.length === 2) {
    return paragraph(
      tie,
      "As T falls to 0, the point goes to the middle of a side and never gets there.",
    );
  }
  const others = listed(ALL.filter((j) => !leads[j]).map((j) => tiny(weights[j])));
  if (weights[best[0]] > 0.999) return cornered(best[0] + 1, others);
  return tie || `These weights look at ${show(spread, 1)} of 3 keys.`;
}

const tied = (equal) =>
  `Scores ${equal} are equal, and so are their weights, at every temperature.`;
const cornered = (corner, others) =>
  `The point seems to lie in corner ${corner}, but the other weights are ${others}, not 0.`;

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
