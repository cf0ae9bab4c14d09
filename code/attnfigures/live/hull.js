// Softmax as a point in the hull: one query, m keys and their m values in the plane.
const REACH = 3;
const FAR = 2.5; // so many times as much of the plane is seen where the output can leave the hull

/**
 * The point of the simplex nearest to s: max(s_j - τ, 0). Martins and Astudillo (2016), proposition
 * 1.
 */
function sparsemax(s) {
  const falling = [...s].sort((a, b) => b - a);
  let total = 0;
  let threshold = 0;
  falling.forEach((x, i) => {
    total += x;
    if (1 + (i + 1) * x > total) threshold = (total - 1) / (i + 1);
  });
  return s.map((x) => Math.max(x - threshold, 0));
}

const WEIGHTINGS = { softmax, sparsemax, none: (s) => s };

/**
 * Weights of the keys, the output Σ a_j V_j, the corners of the hull of V, and how deep the output
 * lies.
 */
function compute({ query, keys, values, temperature, weighting }) {
  const scores = keys.map((k) => dot(query, k) / Math.SQRT2 / temperature);
  const weights = WEIGHTINGS[weighting](scores);
  const output = transpose(values).map((column) => dot(weights, column));
  const corners = convexHull(values);
  const depth = depthIn(corners, output);
  const entropy = -weights.map((a) => (a > 0 ? a * Math.log(a) : 0)).reduce((a, b) => a + b);
  return {
    scores,
    weights,
    output,
    corners,
    depth,
    spread: weighting === "none" ? null : Math.exp(entropy),
  };
}

/**
 * The least distance, with sign, from a point to the lines through the sides: positive inside,
 * negative outside; to a flat hull, minus the distance.
 */
function depthIn(corners, [x, y]) {
  if (corners.length < 3) {
    const [[a, b], [c, d]] = [corners[0], corners.at(-1)];
    const square = (c - a) ** 2 + (d - b) ** 2;
    const t = square ? clamp(((x - a) * (c - a) + (y - b) * (d - b)) / square, 0, 1) : 0;
    return 0 - Math.hypot(x - a - t * (c - a), y - b - t * (d - b));
  }
  return Math.min(
    ...corners.map(([a, b], i) => {
      const [c, d] = corners[(i + 1) % corners.length];
      return ((c - a) * (y - b) - (d - b) * (x - a)) / Math.hypot(c - a, d - b);
    }),
  );
}

/** The point of the hull that is nearest to a point. */
function nearestIn(corners, [x, y]) {
  if (corners.length > 2 && depthIn(corners, [x, y]) > 0) return [x, y];
  const onSides = corners.map(([a, b], i) => {
    const [c, d] = corners[(i + 1) % corners.length];
    const square = (c - a) ** 2 + (d - b) ** 2;
    const t = square ? clamp(((x - a) * (c - a) + (y - b) * (d - b)) / square, 0, 1) : 0;
    return [a + t * (c - a), b + t * (d - b)];
  });
  const away = onSides.map(([a, b]) => Math.hypot(x - a, y - b));
  return onSides[away.indexOf(Math.min(...away))];
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ query, keys, values, temperature, weighting }) {
  const point = (p) => p.length === 2 && p.every((x) => Math.abs(x) <= REACH);
  return (
    [query, ...keys, ...values].every(point) &&
    keys.length === values.length &&
    keys.length > 1 &&
    keys.length < 6 &&
    temperature >= 0.01 &&
    temperature <= 100 &&
    Object.hasOwn(WEIGHTINGS, weighting)
  );
}

/**
 * A number with at most `digits` decimals, fewer where it is large: a column keeps its width at
 * every temperature.
 */
const brief = (x, digits) =>
  show(x, clamp(digits - Math.floor(Math.log10(Math.abs(x) || 1)), 0, digits));

const zoomOf = ({ weighting }) => weighting === "none" ? FAR : 1;

const shape = ({ keys }) => keys.length;

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ model, el, read, change, first }) {
  const count = first.keys.length;
  const put = (name, j) => (p) =>
    change({ [name]: read()[name].map((old, i) => (i === j ? p : old)) });
  const keys = buildKeys(count, (query) => change({ query }), put);
  const values = buildValues(count, put);
  const table = buildTable(count);
  const log = { min: -2, max: 2, step: 0.05, text: (x) => show(10 ** x, x < -0.7 ? 3 : 2) };
  const temperature = slider("temperature T", log, (x) => change({ temperature: 10 ** x }));
  const names = { softmax: "softmax", sparsemax: "sparsemax", none: "the scores themselves" };
  const weighting = choice(_("weights"), names, (name) => change({ weighting: name }));
  const message = messageLine();
  const hint = hintLine();
  const planes = div(
    "live-planes live-lean",
    keys.plane.element,
    values.plane.element,
    table.element,
  );
  el.append(
    hint,
    planes,
    div(
      "live-controls",
      temperature.element,
      weighting.element,
      button("Back to start", () => change(first)),
    ),
    message,
  );
  const parts = { keys, values, table, temperature, weighting, message, hint, guess: null };
  if (model.get("ask") === "place") planes.after(askForPlace(parts, read, change));
  return parts;
}

const lineOf = (look) => make("line", { class: look });
const ends = ([x1, y1], [x2, y2]) => ({ x1, y1, x2, y2 });

/** The plane of the query and the keys. */
function buildKeys(count, putQuery, put) {
  const left = plane("Query and keys", REACH, 20);
  const rays = range(count).map((j) => lineOf(`live-ray ${HUES[j]}`));
  const ray = lineOf("live-ray live-ink");
  left.svg.append(...rays, ray);
  const letter = make("text", { class: "live-letter", x: 8, y: -8 }, "q");
  const tip = make("g", {}, make("circle", { r: 8 }), letter);
  const moves = range(count).map((j) =>
    left.pointHandle(`key ${j + 1}, ${LOOKS[j]}`, HUES[j], mark(j, 8), put("keys", j))
  );
  const moveQuery = left.pointHandle(_("query"), "live-ink", tip, putQuery);
  return { plane: left, rays, ray, letter, moves, moveQuery };
}

/** The plane of the values, which springs tie to the output in their hull. */
function buildValues(count, put) {
  const right = plane("Values, their hull, and the output", REACH, 20);
  const area = make("polygon", { class: "live-hull" });
  const springs = range(count).map((j) => lineOf(`live-spring ${HUES[j]}`));
  const discs = range(count).map((j) => make("circle", { class: `live-weight ${HUES[j]}` }));
  right.svg.append(area, ...springs, ...discs);
  const moves = range(count).map((j) =>
    right.pointHandle(`value ${j + 1}, ${LOOKS[j]}`, HUES[j], mark(j, 8), put("values", j))
  );
  const cross = make("path", { d: "M-8 0H8M0 -8V8" });
  const arrow = make("path", { d: "M11 0H18M14 -4L18 0L14 4" });
  const away = make("text", { class: "live-label live-hull-away", y: 4 });
  const ring = make(
    "g",
    { class: "live-output" },
    cross,
    make("circle", { r: 9 }),
    arrow,
    away,
  );
  right.svg.append(ring);
  return { plane: right, area, springs, discs, moves, ring, cross, arrow, away };
}

/** The scores and the weights. */
function buildTable(count) {
  const rows = range(count).map((j) => {
    const score = make("span", { "data-shows": `scores ${j}` });
    const weight = make("span", { "data-shows": `weights ${j}` });
    const bar = make("span", { class: `live-bar ${HUES[j]}` });
    const look = {
      viewBox: "-10 -10 20 20",
      class: `live-icon ${HUES[j]}`,
      role: "img",
      "aria-label": LOOKS[j],
    };
    const icon = make("svg", look, mark(j, 8));
    const element = make(
      "tr",
      {},
      make("th", { scope: "row" }, icon),
      make("td", {}, score),
      make("td", {}, weight),
      make("td", { class: "live-share" }, bar),
    );
    return { element, score, weight, bar };
  });
  const heads = [_("key"), "s / T", _("weight")].map((text) => make("th", { scope: "col" }, text));
  const element = make(
    "table",
    { class: "live-table" },
    make("thead", {}, make("tr", {}, heads, make("td"))),
    make("tbody", {}, rows.map((row) => row.element)),
  );
  return { element, rows };
}

/**
 * Predict first: the reader places the output, which begins in the middle of the values and stays in
 * their hull, is told how far away that was, and may try again with another query.
 */
function askForPlace(parts, read, change) {
  const cross = make("path", { d: "M-7 -7L7 7M-7 7L7 -7" });
  const miss = lineOf("live-miss");
  parts.values.plane.svg.append(miss);
  const guess = { miss, best: Infinity };
  const place = (p) => {
    guess.at = p;
    guess.moved = true;
    parts.update();
  };
  const { pointHandle } = parts.values.plane;
  guess.move = pointHandle("your guess of the output", "live-ink", cross, place, REACH * FAR);
  guess.show = (seen) => {
    for (const one of [cross.parentNode, miss]) set(one, { display: seen ? null : "none" });
    reply.toggleAttribute("data-away", !seen);
  };
  guess.ask = () => {
    const { values } = read();
    guess.at = transpose(values).map((column) => total(column) / values.length);
    guess.asking = true;
    guess.moved = false;
    guess.answered = null;
    guess.show(true);
  };
  const answer = () => {
    guess.asking = false;
    guess.told = true;
    foot.show(told);
    reply.focus({ preventScroll: true }); // the button goes
    parts.update();
    write(reply, missed(guess));
  };
  const again = () => {
    guess.ask();
    foot.show(first);
    change({ query: turned(read().query) });
    settle.focus({ preventScroll: true });
  };
  const settle = button("Show the output", answer);
  const first = div("live-row", settle);
  const reply = make("p", { class: "live-why", role: "status", tabindex: -1 });
  const told = div("live-row", button("Another query", again), reply);
  const foot = stack(first, told);
  guess.ask();
  parts.guess = guess;
  return div("live-ask", foot.element);
}

/** How far the cross was from the output, and the best of all tries. */
function missed(guess) {
  if (!guess.moved) return "You left the cross where it was.";
  const away = Math.hypot(...guess.at.map((x, c) => x - guess.output[c]));
  const before = guess.best;
  guess.best = Math.min(before, away);
  if (before === Infinity) return `Your cross was ${show(away)} away.`;
  return away < before
    ? `Your cross was ${show(away)} away, the best of your tries.`
    : `Your cross was ${show(away)} away; the best of your tries is ${show(before)}.`;
}

/** The query turned by the golden angle, so that no turn comes back. */
function turned([x, y]) {
  const [cos, sin] = [Math.cos(2.4), Math.sin(2.4)];
  return [x * cos - y * sin, x * sin + y * cos].map((c) => clamp(hundredth(c), -REACH, REACH));
}

/** Where the letter of a handle stands so that it stays in a plane from -reach to reach. */
const letterAt = ([x, y], reach) => ({
  x: x > reach - 0.7 ? -26 : 8,
  y: y > reach - 0.7 ? 22 : -8,
});

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, stage) {
  const { guess } = parts;
  stage.hidden ||= Boolean(guess?.asking);
  if (guess) guess.output = result.output;
  const most = Math.max(1, ...result.weights.map(Math.abs));
  const sizes = result.weights.map((weight) => Math.abs(weight) / most);
  drawHint(parts.hint, guess?.asking);
  drawKeys(parts.keys, state);
  drawValues(parts.values, state, result, sizes, stage.hidden);
  drawTable(parts.table, result, sizes, stage.hidden);
  parts.temperature.put(Math.log10(state.temperature));
  parts.weighting.put(state.weighting);
  parts.weighting.open(!guess || guess.told);
  if (guess) drawGuess(parts, state, result);
}

/** What there is to do: first to predict, then to find out. */
const drawHint = (hint, asking) =>
  write(
    hint,
    asking
      ? "Predict first: move the cross to where the output will be."
      : "Drag the query, a key or a value. Can the output leave the grey region?",
  );

/** The cross, tied to the values while it is moved, and afterwards to the output. */
function drawGuess({ guess, values: { plane: { px }, area, springs } }, state, result) {
  if (guess.asking && state.weighting !== "none") guess.at = nearestIn(result.corners, guess.at);
  const place = px(guess.at);
  guess.move(guess.at);
  set(guess.miss, ends(place, guess.asking ? place : px(result.output)));
  area.toggleAttribute("data-asking", guess.asking);
  if (!guess.asking) return;
  springs.forEach((spring, j) =>
    set(spring, {
      ...ends(px(state.values[j]), place),
      visibility: "visible",
      "stroke-width": 2,
      "stroke-dasharray": "2 4",
    })
  );
}

function drawKeys({ plane: { px }, rays, ray, letter, moves, moveQuery }, { query, keys }) {
  const zero = px([0, 0]);
  set(ray, ends(zero, px(query)));
  moveQuery(query);
  set(letter, letterAt(query, REACH));
  keys.forEach((key, j) => {
    set(rays[j], ends(zero, px(key)));
    moves[j](key);
  });
}

function drawValues(
  { plane: { svg, px }, area, springs, discs, moves, ring, cross, arrow, away },
  state,
  result,
  sizes,
  hidden,
) {
  const { corners, weights, output } = result;
  const seen = { visibility: hidden ? "hidden" : "visible" };
  const zoom = zoomOf(state);
  const side = 340 * zoom;
  set(svg, {
    viewBox: `${150 - side / 2} ${150 - side / 2} ${side} ${side}`,
    style: `--zoom: ${zoom}`,
    "data-far": zoom > 1 ? "" : null,
  });
  set(area, { points: corners.map((p) => px(p).join()).join(" ") });
  state.values.forEach((value, j) => {
    const [cx, cy] = px(value);
    moves[j](value);
    set(springs[j], ends([cx, cy], px(output)));
    set(springs[j], {
      ...seen,
      "stroke-width": (8 * zoom * sizes[j]).toFixed(2),
      "stroke-dasharray": weights[j] < 0 ? "4 3" : null,
    });
    set(discs[j], { cx, cy, r: (26 * zoom * Math.sqrt(sizes[j])).toFixed(2), ...seen });
  });
  const beyond = isBeyond(result, state);
  const from = transpose(state.values).map((column) => total(column) / column.length);
  const edge = beyond ? onFrame(from, output, REACH * zoom) : output;
  set(ring, {
    transform: `translate(${px(edge).join(" ")}) scale(${zoom})`,
    "stroke-dasharray": beyond ? "3 3" : null,
    ...seen,
  });
  set(cross, { display: beyond ? "none" : null });
  const turn = (-180 / Math.PI) * Math.atan2(output[1] - from[1], output[0] - from[0]);
  set(arrow, { transform: `rotate(${hundredth(turn)})`, display: beyond ? null : "none" });
  set(away, edge[0] > 0 ? { x: -14, "text-anchor": "end" } : { x: 14, "text-anchor": "start" });
  write(away, beyond ? awayFrom(result) : "");
}

/** Whether the output is off the picture. */
const isBeyond = ({ output }, state) => output.some((x) => Math.abs(x) > REACH * zoomOf(state));

/** Where the way from a point to one that is off the picture leaves it. */
function onFrame(from, to, reach) {
  const parts = from.map((a, c) => (Math.sign(to[c] - a) * reach - a) / (to[c] - a || 1));
  const part = Math.min(...parts.filter((_x, c) => to[c] !== from[c]));
  return from.map((a, c) => a + part * (to[c] - a));
}

/** How far the output is from the hull. */
function awayFrom({ corners, output }) {
  const nearest = nearestIn(corners, output);
  return show(Math.hypot(...output.map((x, c) => x - nearest[c])), 1);
}

function drawTable({ rows }, { weights, scores }, sizes, hidden) {
  rows.forEach(({ score, weight, bar }, j) => {
    const a = weights[j];
    const number = a > 0 && a < 5e-4 ? tiny(a) : brief(a, 3);
    write(score, brief(scores[j], 2));
    write(weight, hidden ? "?" : number);
    bar.classList.toggle("live-minus", a < 0);
    bar.style.setProperty("--share", hidden ? 0 : sizes[j]);
  });
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words; once something has changed, the guess is gone. */
function speak(state, result, { hidden, guess }) {
  if (hidden) return "The output is hidden until you have answered.";
  if (guess) {
    const answered = JSON.stringify(state);
    guess.answered ??= answered;
    if (guess.answered !== answered) guess.show(false);
  }
  return sentence(result, state);
}

/** What is said of the output. */
function sentence(result, state) {
  const { weights, output, depth, spread } = result;
  const looks = looksOf(weights, spread);
  const [x, y] = output.map((c) => show(c));
  if (isBeyond(result, state)) {
    return `The output (${x}, ${y}) is off the picture, ${
      awayFrom(result)
    } from the hull; ${looks}.`;
  }
  if (depth > EXACT) return `The output (${x}, ${y}) is inside the hull; ${looks}.`;
  if (depth < -EXACT) return `The output (${x}, ${y}) is outside the hull; ${looks}.`;
  return state.weighting === "sparsemax"
    ? `The output (${x}, ${y}) is on the rim of the hull; ${looks}.`
    : `The output (${x}, ${y}) is on the rim of the hull, as far as double precision can tell; ${looks}.`;
}

function looksOf(weights, spread) {
  const m = weights.length;
  if (spread !== null) return `the query looks at ${show(spread, 1)} of ${m} keys`;
  const sum = show(total(weights));
  return weights.some((a) => a < 0)
    ? `the weights sum to ${sum}, and dashed lines mark negative ones`
    : `the weights sum to ${sum}`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
