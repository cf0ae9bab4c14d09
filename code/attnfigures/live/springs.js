// The inverse of attention: the output is dragged, and the one query that has it is read off. The
// keys are the values.
const REACH = 3; // coordinates go from -3 to 3 …
const GRID = 20; // … in steps of 1/20
const NEWTON = 100; // Newton's method needs about ten steps, forty in the worst case seen
const SMALL = 1e-8;
const minus = (p, q) => [p[0] - q[0], p[1] - q[1]];
const length = (p) => Math.hypot(...p);
const whole = (p) => p.map((x) => Math.round(GRID * x));
const snap = (p) => whole(p).map((x) => x / GRID + 0);
const spread = (x) => Math.max(...x) - Math.min(...x);

/**
 * Positive if r lies to the left of the way from p to q, 0 if on its line. Exact, for the numbers
 * are whole.
 */
const turn = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);

/**
 * The minimiser q of log Σ exp(q·d_j), and the weights softmax(Dq), by damped Newton steps from 0.
 * A step that changes the differences of scores by up to r is shortened by ln(1 + r)/r, which makes
 * the sum fall from any start.
 */
function newton(D) {
  const flat = [0, 1].map((c) => Number(D.every((d) => d[c] === 0))); // directions left alone
  const at = (q) => softmax(D.map((d) => dot(q, d)));
  let q = [0, 0];
  let step;
  for (let k = 0; k < NEWTON; k++) {
    const a = at(q);
    const mean = transpose(D).map((column) => dot(a, column));
    const [x, y] = mean;
    const curve = (b, c) =>
      a.reduce((sum, w, j) => sum + w * (D[j][b] - mean[b]) * (D[j][c] - mean[c]), 0);
    const xx = curve(0, 0) + flat[0];
    const xy = curve(0, 1);
    const yy = curve(1, 1) + flat[1];
    const det = xx * yy - xy * xy;
    step = [(xy * y - yy * x) / det, (xy * x - xx * y) / det];
    const change = spread(D.map((d) => dot(step, d)));
    if (change < SMALL) break;
    q = q.map((c, i) => c + (Math.log1p(change) / change) * step[i]);
  }
  const query = q.map((c, i) => c + step[i]);
  return { query, weights: at(query) };
}

/**
 * Where the output lies, the hull, and the weights and the query that have this output, if there
 * are any.
 */
function compute({ values, output, masked }) {
  const V = values.map(whole);
  const y = whole(output);
  const corners = convexHull(V.filter((_x, j) => !masked[j]));
  const edges = corners.map((p, i) => [p, corners[(i + 1) % corners.length]]);
  const depth = edges.map(([p, q]) => turn(p, q, y));
  const sides = edges.filter((_x, i) => depth[i] === 0);
  const where = depth.some((d) => d < 0) ? "outside" : ["inside", "side", "corner"][sides.length];
  const hull = corners.map((p) => p.map((x) => x / GRID));
  const used = masked.filter((m) => !m).length;
  const result = {
    where,
    used,
    hull,
    outward: [],
    along: null,
    nearest: null,
    weights: null,
    query: null,
    length: null,
  };
  if (where === "outside") return { ...result, nearest: nearest(edges, y).map((x) => x / GRID) };
  const ways = sides.map(([p, q]) => minus(q, p).map((x) => x / length(minus(q, p))));
  const on = range(V.length).filter(
    (j) => !masked[j] && sides.every(([p, q]) => turn(p, q, V[j]) === 0),
  );
  const D = on.map((j) => minus(V[j], y).map((x) => x / GRID));
  // On a side, one number is left of each value: how far it lies along the side.
  const { query, weights } = newton(where === "side" ? D.map((d) => [dot(d, ways[0]), 0]) : D);
  const outcome = {
    ...result,
    weights: V.map((_x, j) => (on.includes(j) ? weights[on.indexOf(j)] : 0)),
  };
  if (where === "inside") return { ...outcome, query, length: length(query) };
  const along = where === "side" ? ways[0].map((x) => query[0] * x) : null;
  return { ...outcome, outward: ways.map(([x, y]) => [y, -x]), along };
}

/** The point of the hull that is nearest to y, which lies outside. */
function nearest(edges, y) {
  const feet = edges.map(([p, q]) => {
    const way = minus(q, p);
    const t = clamp(dot(minus(y, p), way) / dot(way, way), 0, 1);
    return p.map((x, c) => x + t * way[c]);
  });
  return feet.reduce((best, foot) => length(minus(foot, y)) < length(minus(best, y)) ? foot : best);
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ values, output, masked }) {
  const point = (p) =>
    p.length === 2 && p.every((x, c) => Math.abs(x) <= REACH && x === snap(p)[c]);
  return (
    values.length > 2 &&
    values.length < 8 &&
    values.every(point) &&
    point(output) &&
    masked.length === values.length &&
    convexHull(values.filter((_x, j) => !masked[j]).map(whole)).length > 2
  );
}

const shape = ({ values }) => values.length;
const LOOK = [...HUES, "live-ink"];
const NAME = [...LOOKS, "plain hexagon"];
const HEXAGON = "0,-8 7,-4 7,4 0,8 -7,4 -7,-4";

const signOf = (j) => (j < 6 ? mark(j, 8) : make("polygon", { points: HEXAGON }));

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const parts = { refused: false };
  const put = (p) => {
    parts.refused = false;
    change({ output: snap(p) });
  };
  const press = (j) => {
    const state = read();
    const masked = state.masked.map((m, i) => (i === j ? !m : m));
    parts.refused = !valid({ ...state, masked });
    if (parts.refused) parts.update();
    else change({ masked });
  };
  const count = first.values.length;
  parts.drawing = buildDrawing(count, press, put);
  parts.numbers = buildNumbers(count, read, put);
  parts.message = messageLine();
  const reset = button("Back to start", () => {
    parts.refused = false;
    change(first);
  });
  el.append(
    hintLine(
      "Drag the ring: how do you tear every spring? Click a value to mask it, and one tears.",
    ),
    div("live-planes live-lean", parts.drawing.element, parts.numbers.element),
    div("live-controls", reset),
    parts.message,
  );
  return parts;
}

/**
 * The plane: the hull, a spring and a button for each value, the query as an arrow, the output as a
 * ring.
 */
function buildDrawing(count, press, move) {
  const title = "Values, their hull, and the output";
  const { element, svg, px, pointHandle } = plane(title, REACH, 14);
  const area = make("polygon", { class: "live-hull" });
  const wall = make("line", { class: "live-wall" });
  const rays = [0, 1].map(() => make("line", { class: "live-wall" }));
  const coils = range(count).map((j) => make("line", { class: `live-spring ${LOOK[j]}` }));
  const spots = range(count).map((j) => buildSpot(j, press));
  const shaft = make("line");
  const head = make("path", { d: "M-10 -6L0 0L-10 6" });
  const arrow = make("g", { class: "live-pull" }, shaft, head);
  const letter = make("text", { class: "live-letter" }, "q");
  svg.append(area, ...coils, ...rays, wall, ...spots, arrow, letter);
  const ring = make("g", { class: "live-held" }, make("circle", { r: 9 }));
  const moveRing = pointHandle(_("output"), "live-ink", ring, move);
  const pull = { arrow, shaft, head, letter };
  return { element, px, area, wall, rays, coils, spots, pull, ring, moveRing, held: null };
}

/** A value, which masks itself when it is pressed. */
function buildSpot(j, press) {
  const onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation(); // Jupyter would run the cell
    press(j);
  };
  const look = {
    class: `live-spot ${LOOK[j]}`,
    tabindex: 0,
    role: "button",
    "aria-label": `mask value ${j + 1}, ${NAME[j]}`,
    onclick: () => press(j),
    onkeydown,
  };
  return make("g", look, make("circle", { class: "live-spot-target", r: 14 }), signOf(j));
}

/** The numbers beside the plane: the output, the length of the query, and the weights. */
function buildNumbers(count, read, put) {
  const fields = [0, 1].map((c) => {
    const act = (x) => put(read().output.map((old, i) => (i === c ? x : old)));
    return field(`output, coordinate ${c + 1}`, REACH, act);
  });
  for (const { open } of fields) open(true);
  const used = make("span", { "data-shows": "used" });
  const long = make("span", { "data-shows": "length" });
  const size = make("span", {}, "‖q‖ = ", long);
  const word = make("span");
  const rows = range(count).map(buildRow);
  const typed = fields.map((one) => one.element);
  const query = fillIn("query {size}", { size: make("strong", {}, size, word) });
  const element = div(
    "live-reading",
    div(
      "live-control",
      div("live-control", "output y", typed),
      make("span", { class: "live-length" }, query),
    ),
    div("live-title", fillIn("Weights of {used} values", { used })),
    make("ul", { class: "live-shares" }, rows.map((row) => row.element)),
  );
  return { element, fields, used, long, size, word, rows };
}

/** The weight of a value, as a bar and a number, or a word instead. */
function buildRow(_value, j) {
  const bar = make("span", { class: `live-bar ${LOOK[j]}` });
  const number = make("span", { "data-shows": `weights ${j}` });
  const word = make("span");
  const look = {
    viewBox: "-10 -10 20 20",
    class: `live-icon ${LOOK[j]}`,
    role: "img",
    "aria-label": NAME[j],
  };
  const share = make("span", { class: "live-share" }, bar, number, word);
  const element = make("li", {}, make("svg", look, signOf(j)), ` ${j + 1}`, share);
  return { element, bar, number, word };
}

// ---- draw ----------------------------------------------------------------------------------------

const ends = ([x1, y1], [x2, y2]) => ({ x1, y1, x2, y2 });
const seen = (yes) => ({ visibility: yes ? "visible" : "hidden" });
const beyond = ([x, y], [dx, dy]) => [x + 600 * dx, y - 600 * dy]; // out of the drawing

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ drawing, numbers }, state, result, { hidden }) {
  const { px } = drawing;
  set(drawing.area, { points: result.hull.map((p) => px(p).join()).join(" ") });
  drawSprings(drawing, state, result, hidden);
  drawing.moveRing(state.output);
  drawing.ring.classList.toggle("live-away", result.where === "outside");
  drawPull(drawing, state, result, hidden);
  drawRays(drawing, state, result, hidden);
  drawWall(drawing, state, result, hidden);
  drawNumbers(numbers, state, result, hidden);
}

function drawSprings(drawing, { values, output, masked }, { weights }, hidden) {
  const { px, coils, spots } = drawing;
  values.forEach((value, j) => {
    const torn = drawing.held?.[j] > 0.02 && (masked[j] || !weights);
    if (torn && !hidden && !calm()) tear(coils[j], px(value), px(output), 16 * drawing.held[j]);
    const at = px(value);
    const width = (16 * (weights ? weights[j] : 0)).toFixed(2);
    set(coils[j], ends(at, px(output)));
    set(coils[j], { "stroke-width": width, ...seen(weights && !hidden) });
    set(spots[j], { transform: `translate(${at.join(" ")})`, "aria-pressed": masked[j] });
  });
  drawing.held = hidden ? null : weights;
}

/** Lets both halves of a spring that tears fly back to its ends. */
function tear(coil, from, to, width) {
  const half = from.map((c, i) => (to[i] - c) / 2);
  const back = [1, 0.25, 0.5, 0.12, 0.25, 0].map((size) => `scale(${size})`);
  for (const [end, sign] of [[from, 1], [to, -1]]) {
    const [x2, y2] = half.map((c) => sign * c);
    const line = make("line", {
      class: coil.getAttribute("class"),
      x2,
      y2,
      "stroke-width": width,
      "vector-effect": "non-scaling-stroke",
    });
    const piece = make("g", { transform: `translate(${end.join(" ")})` }, line);
    coil.after(piece);
    const motion = line.animate({ transform: back }, 700);
    motion.onfinish = () => piece.remove();
  }
}

/** The query as an arrow from the output, with its letter beyond the tip. */
function drawPull({ px, pull }, { output }, { query, length: long }, hidden) {
  set(pull.arrow, seen(query && !hidden));
  set(pull.letter, seen(query && !hidden));
  if (!query) return;
  const [x, y] = px(output);
  const unit = px([1, 0])[0] - px([0, 0])[0];
  const reach = unit * long;
  const angle = (-180 / Math.PI) * Math.atan2(query[1], query[0]);
  const end = `translate(${reach.toFixed(2)} 0)`;
  set(pull.arrow, { transform: `translate(${x} ${y}) rotate(${angle.toFixed(3)})` });
  set(pull.shaft, { x2: reach.toFixed(2) });
  set(pull.head, { transform: end, visibility: reach < 2 ? "hidden" : null });
  const stretch = unit * (1 + 14 / Math.max(reach, 14));
  const [right, up] = query.map((c) => c * stretch);
  set(pull.letter, { x: clamp(x + right - 5, 4, 284), y: clamp(y - up + 5, 14, 292) });
}

/** On a side or in a corner: the directions between which queries grow. */
function drawRays({ px, rays }, { output }, { outward }, hidden) {
  const from = px(output);
  rays.forEach((ray, i) => {
    set(ray, seen(outward[i] && !hidden));
    if (outward[i]) set(ray, ends(from, beyond(from, outward[i])));
  });
}

/** Outside the hull: a line with the ring on one side and all values on the other. */
function drawWall({ px, wall }, { output }, { where, nearest: foot }, hidden) {
  set(wall, seen(where === "outside" && !hidden));
  if (where !== "outside") return;
  const away = minus(output, foot);
  const [dx, dy] = away.map((c) => c / length(away));
  const middle = px(output.map((c, i) => c - away[i] / 2));
  set(wall, ends(beyond(middle, [dy, -dx]), beyond(middle, [-dy, dx])));
}

function drawNumbers({ fields, used, long, size, word, rows }, state, result, hidden) {
  const { weights, query } = result;
  fields.forEach(({ put }, c) => put(state.output[c]));
  write(used, String(result.used));
  write(long, query ? show(result.length) : "");
  set(size, { hidden: query && !hidden ? null : "" });
  const missing = query ? "" : _("none");
  write(word, hidden ? "?" : missing);
  rows.forEach((row, j) => {
    const weight = weights ? weights[j] : 0;
    const there = weights && !state.masked[j];
    row.bar.style.setProperty("--share", hidden ? 0 : weight);
    write(row.number, weight > 0 && weight < 5e-4 ? tiny(weight) : show(weight, 3));
    set(row.number, { hidden: there && !hidden ? null : "" });
    write(row.word, hidden ? "?" : wordOf(state.masked[j], weights));
  });
}

/** What stands in the place of a weight that is not there. */
function wordOf(masked, weights) {
  if (masked) return _("masked");
  return weights ? "" : _("none");
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak({ masked }, result, { hidden, refused }) {
  const stay = refused && "At least three values must stay, not all on one line.";
  if (hidden) return paragraph(stay, "The query is hidden until you have answered.");
  return paragraph(stay, sentence(result, masked));
}

/** What is said of the output. */
function sentence({ where, weights, query, along }, masked) {
  if (where === "outside") {
    return masked.includes(true)
      ? "Outside the hull: no weights, so no query. The dashed line has the ring on one side and all values that are not masked on the other."
      : "Outside the hull: no weights, so no query. The dashed line has the ring on one side and all values on the other.";
  }
  const names = range(weights.length)
    .filter((j) => weights[j] > 0)
    .map((j) => j + 1);
  const values = names.length > 1 ? `values ${listed(names)}` : `value ${names[0]}`;
  if (where === "corner") {
    return `On a corner, held by ${values} alone: no query gets here. Queries that grow in a direction between the dashed ones come as near as you like.`;
  }
  if (where === "side") {
    const part = `(${along.map((c) => show(c)).join(", ")})`;
    return `On a side, held by ${values} alone: no query gets here. Queries ${part} + t·w, with w in the dashed direction, come as near as you like as t grows. Their part along the side chooses the place.`;
  }
  const numbers = query.map((c) => show(c)).join(", ");
  return `Inside the hull: the query q = (${numbers}) has this output.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
