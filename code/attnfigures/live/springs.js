// The inverse of attention: the output is dragged, and the one query that has it is read off. The keys are the values.
const REACH = 3, GRID = 20; // coordinates go from -3 to 3, in steps of 1/20
const NEWTON = 100, SMALL = 1e-8; // Newton's method needs about ten steps, forty in the worst case seen
const minus = (p, q) => [p[0] - q[0], p[1] - q[1]], length = (p) => Math.hypot(...p);
const whole = (p) => p.map((x) => Math.round(GRID * x)), snap = (p) => whole(p).map((x) => x / GRID + 0);
const spread = (x) => Math.max(...x) - Math.min(...x);

/** Positive if r lies to the left of the way from p to q, 0 if on its line. Exact, for the numbers are whole. */
const turn = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);

/** The minimiser q of log Σ exp(q·d_j), and the weights softmax(Dq), by damped Newton steps from 0. A step that changes
 *  the differences of scores by up to r is shortened by ln(1 + r)/r, which makes the sum fall from any start. */
function newton(D) {
  const flat = [0, 1].map((c) => Number(D.every((d) => d[c] === 0))); // a direction that is left alone
  const at = (q) => softmax(D.map((d) => dot(q, d)));
  let q = [0, 0], step;
  for (let k = 0; k < NEWTON; k++) {
    const a = at(q), [x, y] = [0, 1].map((c) => dot(a, D.map((d) => d[c])));
    const curve = (b, c) => a.reduce((sum, w, j) => sum + w * (D[j][b] - [x, y][b]) * (D[j][c] - [x, y][c]), 0);
    const xx = curve(0, 0) + flat[0], xy = curve(0, 1), yy = curve(1, 1) + flat[1], det = xx * yy - xy * xy;
    step = [(xy * y - yy * x) / det, (xy * x - xx * y) / det];
    const change = spread(D.map((d) => dot(step, d)));
    if (change < SMALL) break;
    q = q.map((c, i) => c + (Math.log1p(change) / change) * step[i]);
  }
  const query = q.map((c, i) => c + step[i]);
  return { query, weights: at(query) };
}

/** Where the output lies, the hull, and the weights and the query that have this output, if there are any. */
function compute({ values, output, masked }) {
  const V = values.map(whole), y = whole(output), corners = convexHull(V.filter((_, j) => !masked[j]));
  const edges = corners.map((p, i) => [p, corners[(i + 1) % corners.length]]);
  const depth = edges.map(([p, q]) => turn(p, q, y)), sides = edges.filter((_, i) => depth[i] === 0);
  const where = depth.some((d) => d < 0) ? "outside" : ["inside", "side", "corner"][sides.length];
  const hull = corners.map((p) => p.map((x) => x / GRID)), used = masked.filter((m) => !m).length;
  const result = { where, used, hull, outward: [], along: null, nearest: null, weights: null, query: null, length: null };
  if (where === "outside") return { ...result, nearest: nearest(edges, y).map((x) => x / GRID) };
  const ways = sides.map(([p, q]) => minus(q, p).map((x) => x / length(minus(q, p))));
  const on = range(V.length).filter((j) => !masked[j] && sides.every(([p, q]) => turn(p, q, V[j]) === 0));
  const D = on.map((j) => minus(V[j], y).map((x) => x / GRID));
  // On a side, one number is left of each value: how far it lies along the side.
  const { query, weights } = newton(where === "side" ? D.map((d) => [dot(d, ways[0]), 0]) : D);
  const outcome = { ...result, weights: V.map((_, j) => (on.includes(j) ? weights[on.indexOf(j)] : 0)) };
  if (where === "inside") return { ...outcome, query, length: length(query) };
  const along = where === "side" ? ways[0].map((x) => query[0] * x) : null;
  return { ...outcome, outward: ways.map(([x, y]) => [y, -x]), along };
}

/** The point of the hull that is nearest to y, which lies outside. */
function nearest(edges, y) {
  const feet = edges.map(([p, q]) => {
    const way = minus(q, p), t = clamp(dot(minus(y, p), way) / dot(way, way), 0, 1);
    return p.map((x, c) => x + t * way[c]);
  });
  return feet.reduce((best, foot) => (length(minus(foot, y)) < length(minus(best, y)) ? foot : best));
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ values, output, masked }) {
  const point = (p) => p.length === 2 && p.every((x, c) => Math.abs(x) <= REACH && x === snap(p)[c]);
  return values.length > 2 && values.length < 8 && values.every(point) && point(output)
    && masked.length === values.length && convexHull(values.filter((_, j) => !masked[j]).map(whole)).length > 2;
}

const shape = ({ values }) => values.length;
const LOOK = [...HUES, "live-ink"], NAME = [...LOOKS, "plain hexagon"];
const HEXAGON = "0,-8 7,-4 7,4 0,8 -7,4 -7,-4";

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), each = (f) => range(first.values.length).map(f);
  const sign = (j) => (j < 6 ? mark(j, 8) : make("polygon", { points: HEXAGON }));

  // the plane: the hull, a spring and a button for each value, the query as an arrow, the output as a ring
  const { element, svg, px, pointHandle } = plane("Values, their hull, and the output", REACH, 14);
  const area = make("polygon", { class: "live-hull" }), wall = make("line", { class: "live-wall" });
  const coils = each((j) => make("line", { class: `live-spring ${LOOK[j]}` }));
  const rays = [0, 1].map(() => make("line", { class: "live-wall" }));
  let refused = false;
  const press = (j) => {
    const state = read(), masked = state.masked.map((m, i) => (i === j ? !m : m));
    refused = !valid({ ...state, masked });
    if (refused) update(); else change({ masked });
  };
  const spots = each((j) => make("g", { class: `live-spot ${LOOK[j]}`, tabindex: 0, role: "button",
    "aria-label": `mask value ${j + 1}, ${NAME[j]}`, onclick: () => press(j), onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation(); // Jupyter would run the cell
      press(j);
    } }, make("circle", { class: "live-spot-target", r: 14 }), sign(j)));
  const shaft = make("line"), head = make("path", { d: "M-10 -6L0 0L-10 6" });
  const arrow = make("g", { class: "live-pull" }, shaft, head), letter = make("text", { class: "live-letter" }, "q");
  svg.append(area, ...coils, ...rays, wall, ...spots, arrow, letter);
  const ring = make("g", { class: "live-held" }, make("circle", { r: 9 }));
  const put = (p) => { refused = false; change({ output: snap(p) }); };
  const moveRing = pointHandle(_("output"), "live-ink", ring, put);

  // the numbers
  const typed = [0, 1].map((c) => field(`output, coordinate ${c + 1}`, REACH,
    (x) => put(read().output.map((old, i) => (i === c ? x : old)))));
  typed.forEach((f) => f.open(true));
  const used = make("span", { "data-shows": "used" });
  const long = make("span", { "data-shows": "length" }), size = make("span", {}, "‖q‖ = ", long), word = make("span");
  const numbers = each((j) => make("span", { "data-shows": `weights ${j}` })), words = each(() => make("span"));
  const bars = each((j) => make("span", { class: `live-bar ${LOOK[j]}` }));
  const icon = (j) => make("svg", { viewBox: "-10 -10 20 20", class: `live-icon ${LOOK[j]}`, role: "img",
    "aria-label": NAME[j] }, sign(j));
  const rows = each((j) => make("li", {}, icon(j), ` ${j + 1}`,
    make("span", { class: "live-share" }, bars[j], numbers[j], words[j])));
  const side = make("div", { class: "live-reading" },
    make("div", { class: "live-control" },
      make("div", { class: "live-control" }, "output y", typed.map((f) => f.element)),
      make("span", { class: "live-length" }, fillIn("query {size}", { size: make("strong", {}, size, word) }))),
    make("div", { class: "live-title" }, fillIn("Weights of {used} values", { used })), make("ul", { class: "live-shares" }, rows));
  const back = button("Back to start", () => { refused = false; change(first); });
  const message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" },
    "Drag the ring. Click a value to mask it."),
  make("div", { class: "live-planes live-lean" }, element, side), make("div", { class: "live-controls" }, back), message);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), { where, weights, query, outward } = result;
    const hidden = el.classList.contains("live-asking"), shown = (yes) => (yes && !hidden ? null : "");
    const seen = (yes) => ({ visibility: yes && !hidden ? "visible" : "hidden" });
    const [x, y] = px(state.output), unit = px([1, 0])[0] - px([0, 0])[0];
    const to = (line, [x1, y1], [x2, y2]) => set(line, { x1, y1, x2, y2 });
    const beyond = (from, [dx, dy]) => [from[0] + 600 * dx, from[1] - 600 * dy]; // out of the drawing
    set(area, { points: result.hull.map((p) => px(p).join()).join(" ") });
    each((j) => {
      const weight = weights ? weights[j] : 0, at = px(state.values[j]);
      to(coils[j], at, [x, y]);
      set(coils[j], { "stroke-width": (16 * weight).toFixed(2), ...seen(weights) });
      set(spots[j], { transform: `translate(${at.join(" ")})`, "aria-pressed": state.masked[j] });
      write(numbers[j], weight > 0 && weight < 5e-4 ? tiny(weight) : show(weight, 3));
      set(numbers[j], { hidden: shown(weights && !state.masked[j]) });
      write(words[j], hidden ? "?" : state.masked[j] ? _("masked") : weights ? "" : _("none"));
      bars[j].style.setProperty("--share", hidden ? 0 : weight);
    });
    moveRing(state.output);
    ring.classList.toggle("live-away", where === "outside");
    typed.forEach((f, c) => f.put(state.output[c]));
    set(arrow, seen(query));
    set(letter, seen(query));
    if (query) {
      const reach = unit * result.length, angle = (-180 / Math.PI) * Math.atan2(query[1], query[0]);
      set(arrow, { transform: `translate(${x} ${y}) rotate(${angle.toFixed(3)})` });
      set(shaft, { x2: reach.toFixed(2) });
      set(head, { transform: `translate(${reach.toFixed(2)} 0)`, visibility: reach < 2 ? "hidden" : null });
      const tip = query.map((c, i) => c * unit * (1 + 14 / Math.max(reach, 14)) * (i ? -1 : 1));
      set(letter, { x: clamp(x + tip[0] - 5, 4, 284), y: clamp(y + tip[1] + 5, 14, 292) });
    }
    rays.forEach((ray, i) => {
      set(ray, seen(outward[i]));
      if (outward[i]) to(ray, [x, y], beyond([x, y], outward[i]));
    });
    set(wall, seen(where === "outside"));
    if (where === "outside") {
      const away = minus(state.output, result.nearest), [dx, dy] = away.map((c) => c / length(away));
      const middle = px(state.output.map((c, i) => c - away[i] / 2));
      to(wall, beyond(middle, [dy, -dx]), beyond(middle, [-dy, dx]));
    }
    write(used, String(result.used));
    write(long, query ? show(result.length) : "");
    set(size, { hidden: shown(query) });
    write(word, hidden ? "?" : query ? "" : _("none"));
    const stay = refused && "At least three values must stay, not all on one line.";
    const sentenceText = hidden ? "The query is hidden until you have answered." : sentence(result, state.masked);
    write(message, paragraph(stay, sentenceText));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ where, weights, query, along }, masked) {
  if (where === "outside") {
    return masked.includes(true)
      ? "Outside the hull: no weights, so no query. The dashed line has the ring on one side and all values that are not masked on the other."
      : "Outside the hull: no weights, so no query. The dashed line has the ring on one side and all values on the other.";
  }
  const names = range(weights.length).filter((j) => weights[j] > 0).map((j) => j + 1);
  const values = names.length > 1 ? `values ${listed(names)}` : `value ${names[0]}`;
  if (where === "corner") {
    return `On a corner, held by ${values} alone: no query gets here. Queries that grow in a direction between the dashed ones come as near as you like.`;
  }
  if (where === "side") {
    const part = `(${along.map((c) => show(c)).join(", ")})`;
    return `On a side, held by ${values} alone: no query gets here. Queries ${part} + t·w, with w in the dashed direction, come as near as you like as t grows. Their part along the side chooses the place.`;
  }
  return `Inside the hull: the query q = (${query.map((c) => show(c)).join(", ")}) has this output.`;
}

export default { initialize, render, compute, valid, shape };
