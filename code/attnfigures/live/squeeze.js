// A state too small for its input: pairs of numbers are rebuilt from one number each, and lie on a
// line.
const REACH = 3;
const GRID = 20; // coordinates go from -3 to 3, in steps of 1/20
const squares = (points) => points.flat().reduce((sum, x) => sum + x * x, 0);
const direction = (angle) => [Math.cos((Math.PI * angle) / 180), Math.sin((Math.PI * angle) / 180)];

/**
 * The rebuilt points, what is kept and lost of Σ|x|², the σ² of all points, and the least that any
 * line loses.
 */
function compute({ points, angle, numbers }) {
  const u = direction(angle);
  const rebuilt = numbers === 2 ? points : points.map((x) => u.map((c) => dot(x, u) * c));
  const errors = points.map((x, i) => x.map((c, k) => c - rebuilt[i][k]));
  const whole = points.map((x) => x.map((c) => Math.round(GRID * c))); // sums of these are exact
  const [xx, xy, yy] = [
    [0, 0],
    [0, 1],
    [1, 1],
  ].map(([b, c]) => whole.reduce((sum, x) => sum + x[b] * x[c], 0));
  const root = Math.hypot(xx - yy, 2 * xy);
  const sigma = [xx + yy + root, xx + yy - root].map((s) => s / 2 / GRID ** 2);
  const [total, kept, lost] = [points, rebuilt, errors].map(squares);
  const best = ((90 / Math.PI) * Math.atan2(2 * xy, xx - yy) + 180) % 180;
  const bound = numbers === 2 ? 0 : sigma[1];
  return {
    rebuilt,
    total,
    kept,
    lost,
    sigma,
    bound,
    best,
    sumGap: Math.abs(total - kept - lost) / total,
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ points, angle, numbers }) {
  const point = (p) =>
    p.length === 2 && p.every((c) => Math.abs(c) <= REACH && c === Math.round(GRID * c) / GRID);
  return (
    points.length > 1 &&
    points.length < 13 &&
    points.every(point) &&
    squares(points) > 0 &&
    Number.isInteger(angle) &&
    angle >= 0 &&
    angle < 360 &&
    (numbers === 1 || numbers === 2)
  );
}

const shape = ({ points }) => points.length;

/** The corners of a square on the error of a point, on the side towards the origin. */
function square(x, foot) {
  const error = [foot[0] - x[0], foot[1] - x[1]];
  const across = [-error[1], error[0]];
  const side = dot(across, foot) > 0 ? across.map((c) => -c) : across;
  return [x, foot, foot.map((c, k) => c + side[k]), x.map((c, k) => c + side[k])];
}

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const turn = (angle) => change({ angle: ((Math.round(angle) % 360) + 360) % 360 });
  const drawing = buildDrawing(first.points, read, turn);
  const table = buildTable();
  const typed = field("angle of the line, in degrees", 359, turn, 0);
  typed.open(true);
  set(typed.element, { step: 1, min: 0 });
  const angle = div("live-control", _("angle"), typed.element, "°");
  const second = button("Keep two numbers", () => change({ numbers: 3 - read().numbers }));
  const hint = hintLine();
  const message = messageLine();
  el.append(
    hint,
    div(
      "live-planes live-lean",
      drawing.element,
      div("live-reading", table.budget, table.element),
    ),
    div("live-controls", angle, second, button("Back to start", () => change(first))),
    message,
  );
  return { drawing, table, typed, angle, second, hint, message };
}

/** The plane: the points, the line with its handle, and a square on every error. */
function buildDrawing(points, read, turn) {
  const title = "Points (discs) and what is rebuilt (rings)";
  const { element, svg, px, point } = plane(title, REACH);
  const each = (tag, look) => points.map(() => make(tag, look));
  const line = make("line", { class: "live-through" });
  const areas = each("polygon", { class: "live-area live-orange" });
  const misses = each("line", { class: "live-ray live-orange" });
  const feet = each("circle", { class: "live-foot", r: 5 });
  const dots = each("circle", { class: "live-dot live-blue", r: 5 });
  svg.append(line, ...areas, ...misses, ...feet, ...dots);
  const drag = (x, y) => {
    const [a, b] = point(x, y);
    if (a || b) turn((180 / Math.PI) * Math.atan2(b, a));
  };
  const step = (dx, dy) => {
    const far = Math.abs(dx) > 100; // the keys Home and End
    turn(far ? 90 + 90 * Math.sign(dx) : read().angle + dx + dy);
  };
  const knob = make("circle", { r: 7 });
  const move = handle(svg, "angle of the line", "live-ink", knob, drag, step);
  return { element, px, line, areas, misses, feet, dots, knob: svg.lastChild, move };
}

/** The sums of squares: as a bar that is cut, and as numbers. */
function buildTable() {
  const cell = (name) => make("td", { "data-shows": name });
  const cells = {
    total: cell("total"),
    kept: cell("kept"),
    lost: cell("lost"),
    bound: cell("bound"),
  };
  const look = { viewBox: "-10 -10 20 20", class: "live-icon live-orange", "aria-hidden": true };
  const key = (shape) => make("svg", look, shape);
  const swatch = (look) => key(make("rect", { x: -8, y: -8, width: 16, height: 16, class: look }));
  const dash = make("line", { class: "live-through", y1: -9, y2: 9, "stroke-dasharray": "4 2" });
  const row = (icon, name, value) =>
    make("tr", {}, make("th", { scope: "row" }, icon, " ", name), value);
  const limit = make("span");
  const body = make(
    "tbody",
    {},
    row("", "Σ|x|² of all points", cells.total),
    row(swatch("live-dot live-blue"), _("kept"), cells.kept),
    row(swatch("live-area"), "lost, all squares together", cells.lost),
    row(key(dash), limit, cells.bound),
  );
  const bars = {
    kept: make("span", { class: "live-part live-blue" }),
    lost: make("span", { class: "live-part live-stripes live-orange" }),
    least: make("span", { class: "live-least" }),
  };
  const element = make("table", { class: "live-table live-sums" }, body);
  const budget = div("live-ledger", bars.kept, bars.lost, bars.least);
  return { element, budget, cells, bars, limit };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ drawing, table, typed, angle, second, hint }, state, result, { hidden }) {
  const one = state.numbers === 1;
  drawLine(drawing, state, one);
  drawPoints(drawing, state, result, one, hidden);
  drawTable(table, result, one, hidden);
  angle.style.visibility = one ? "" : "hidden";
  typed.put(state.angle);
  set(second, { "aria-pressed": !one });
  write(
    hint,
    one
      ? "Turn the line by its knob. Make the orange squares as small as you can."
      : "What is lost now?",
  );
}

const ends = ([x1, y1], [x2, y2]) => ({ x1, y1, x2, y2 });

function drawLine({ px, line, knob, move }, state, one) {
  const u = direction(state.angle);
  set(line, ends(px(u.map((c) => -6 * c)), px(u.map((c) => 6 * c))));
  for (const element of [line, knob]) set(element, { visibility: one ? "visible" : "hidden" });
  const reach = { now: state.angle, min: 0, max: 359 };
  move(px(u.map((c) => 2.75 * c)), `${state.angle} degrees`, reach);
}

function drawPoints({ px, areas, misses, feet, dots }, { points }, { rebuilt }, one, hidden) {
  const seen = (yes) => ({ visibility: yes && !hidden ? "visible" : "hidden" });
  const at = (point) => {
    const [cx, cy] = px(point);
    return { cx, cy };
  };
  points.forEach((x, i) => {
    const foot = rebuilt[i];
    const corners = square(x, foot).map((p) => px(p).join());
    set(areas[i], { points: corners.join(" "), ...seen(one) });
    set(misses[i], { ...ends(px(x), px(foot)), ...seen(one) });
    set(feet[i], { ...at(foot), ...seen(true) });
    set(dots[i], at(x));
  });
}

function drawTable({ cells, bars, limit }, result, one, hidden) {
  const share = (x) => (hidden ? "0" : `${(100 * x) / result.total}%`);
  bars.kept.style.width = share(result.kept);
  bars.lost.style.width = share(result.lost);
  bars.least.style.right = share(result.bound);
  write(cells.total, show(result.total));
  for (const name of ["kept", "lost", "bound"]) {
    write(cells[name], hidden ? "?" : show(result[name]));
  }
  write(limit, one ? "least that a line loses, σ₂²" : "least that two numbers lose");
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak({ angle, numbers }, { lost, bound, best, sigma }, { hidden }) {
  if (hidden) return "The errors are hidden until you have answered.";
  if (numbers === 2) {
    return "With two numbers in the state, every point is rebuilt, and nothing is lost.";
  }
  const part = show(lost);
  if (sigma[0] - sigma[1] < 1e-9) {
    return `The line at ${angle}° loses ${part}, and so does every line: both σ² are equal.`;
  }
  const off = Math.abs(((angle - best + 270) % 180) - 90); // degrees from the best line
  if (off <= 0.5) {
    return `The line at ${angle}° loses ${part}, the least that whole degrees allow. It lies along the direction of σ₁.`;
  }
  return `The line at ${angle}° loses ${part}, which is ${
    show(lost - bound)
  } more than the best line.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
