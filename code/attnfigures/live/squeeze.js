// A state too small for its input: pairs of numbers are rebuilt from one number each, and lie on a line.
const REACH = 3, GRID = 20; // coordinates go from -3 to 3, in steps of 1/20
const squares = (points) => points.flat().reduce((sum, x) => sum + x * x, 0);
const direction = (angle) => [Math.cos((Math.PI * angle) / 180), Math.sin((Math.PI * angle) / 180)];

/** The rebuilt points, what is kept and lost of Σ|x|², the σ² of all points, and the least that any line loses. */
function compute({ points, angle, numbers }) {
  const u = direction(angle);
  const rebuilt = numbers === 2 ? points : points.map((x) => u.map((c) => dot(x, u) * c));
  const errors = points.map((x, i) => x.map((c, k) => c - rebuilt[i][k]));
  const whole = points.map((x) => x.map((c) => Math.round(GRID * c))); // sums of these are exact
  const [xx, xy, yy] = [[0, 0], [0, 1], [1, 1]].map(([b, c]) => whole.reduce((sum, x) => sum + x[b] * x[c], 0));
  const root = Math.hypot(xx - yy, 2 * xy), sigma = [xx + yy + root, xx + yy - root].map((s) => s / 2 / GRID ** 2);
  const [total, kept, lost] = [points, rebuilt, errors].map(squares);
  const best = ((90 / Math.PI) * Math.atan2(2 * xy, xx - yy) + 180) % 180;
  const bound = numbers === 2 ? 0 : sigma[1];
  return { rebuilt, total, kept, lost, sigma, bound, best, sumGap: Math.abs(total - kept - lost) / total };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ points, angle, numbers }) {
  const point = (p) => p.length === 2 && p.every((c) => Math.abs(c) <= REACH && c === Math.round(GRID * c) / GRID);
  return points.length > 1 && points.length < 13 && points.every(point) && squares(points) > 0
    && Number.isInteger(angle) && angle >= 0 && angle < 360 && (numbers === 1 || numbers === 2);
}

const shape = ({ points }) => points.length;

/** The corners of a square on the error of a point, on the side towards the origin. */
function square(x, foot) {
  const error = [foot[0] - x[0], foot[1] - x[1]], across = [-error[1], error[0]];
  const side = dot(across, foot) > 0 ? across.map((c) => -c) : across;
  return [x, foot, foot.map((c, k) => c + side[k]), x.map((c, k) => c + side[k])];
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), each = (f) => first.points.map((_, i) => f(i));

  // the plane: the points, the line with its handle, and a square on every error
  const { element, svg, px, point } = plane("Points (discs) and what is rebuilt (rings)", REACH);
  const line = make("line", { class: "live-through" });
  const areas = each(() => make("polygon", { class: "live-area live-orange" }));
  const misses = each(() => make("line", { class: "live-ray live-orange" }));
  const feet = each(() => make("circle", { class: "live-foot", r: 5 }));
  const dots = each(() => make("circle", { class: "live-dot live-blue", r: 5 }));
  svg.append(line, ...areas, ...misses, ...feet, ...dots);
  const turn = (angle) => change({ angle: ((Math.round(angle) % 360) + 360) % 360 });
  const drag = (x, y) => {
    const [a, b] = point(x, y);
    if (a || b) turn((180 / Math.PI) * Math.atan2(b, a));
  };
  const step = (dx, dy) => turn(Math.abs(dx) > 100 ? 90 + 90 * Math.sign(dx) : read().angle + dx + dy);
  const knob = make("circle", { r: 7 });
  const moveKnob = handle(svg, "angle of the line", "live-ink", knob, drag, step);

  // the numbers
  const typed = field("angle of the line, in degrees", 359, turn, 0);
  typed.open(true);
  set(typed.element, { step: 1, min: 0 });
  const cell = (name) => make("td", { "data-shows": name });
  const [total, kept, lost, bound] = ["total", "kept", "lost", "bound"].map(cell);
  const look = { viewBox: "-10 -10 20 20", class: "live-icon live-orange", "aria-hidden": true };
  const key = (shape) => make("svg", look, shape);
  const row = (icon, name, value) => make("tr", {}, make("th", { scope: "row" }, icon, " ", name), value);
  const keptBar = make("span", { class: "live-part live-blue" }), least = make("span", { class: "live-least" });
  const lostBar = make("span", { class: "live-part live-stripes live-orange" });
  const dash = make("line", { class: "live-through", y1: -9, y2: 9, "stroke-dasharray": "4 2" });
  const swatch = (look) => make("rect", { x: -8, y: -8, width: 16, height: 16, class: look });
  const limit = make("span");
  const table = make("table", { class: "live-table live-sums" }, make("tbody", {},
    row("", "Σ|x|² of all points", total), row(key(swatch("live-dot live-blue")), _("kept"), kept),
    row(key(swatch("live-area")), "lost, all squares together", lost), row(key(dash), limit, bound)));
  const budget = make("div", { class: "live-ledger" }, keptBar, lostBar, least);

  const second = button("Keep two numbers", () => change({ numbers: 3 - read().numbers }));
  const back = button("Back to start", () => change(first));
  const message = make("p", { class: "live-verdict" });
  const angle = make("div", { class: "live-control" }, _("angle"), typed.element, "°");
  const hint = make("p", { class: "live-hint" });
  el.append(hint, make("div", { class: "live-planes live-lean" }, element, make("div", { class: "live-reading" }, budget, table)),
    make("div", { class: "live-controls" }, angle, second, back), message);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    const seen = (yes) => ({ visibility: yes && !hidden ? "visible" : "hidden" });
    const u = direction(state.angle), one = state.numbers === 1;
    const to = (mark, [x1, y1], [x2, y2]) => set(mark, { x1, y1, x2, y2 });
    to(line, px(u.map((c) => -6 * c)), px(u.map((c) => 6 * c)));
    for (const element of [line, knob.parentNode]) set(element, { visibility: one ? "visible" : "hidden" });
    angle.style.visibility = one ? "" : "hidden";
    each((i) => {
      const x = state.points[i], foot = result.rebuilt[i], at = ([cx, cy]) => ({ cx, cy });
      set(areas[i], { points: square(x, foot).map((p) => px(p).join()).join(" "), ...seen(one) });
      to(misses[i], px(x), px(foot));
      set(misses[i], seen(one));
      set(feet[i], { ...at(px(foot)), ...seen(true) });
      set(dots[i], at(px(x)));
    });
    moveKnob(px(u.map((c) => 2.75 * c)), `${state.angle} degrees`, { now: state.angle, min: 0, max: 359 });
    typed.put(state.angle);
    set(second, { "aria-pressed": !one });
    write(hint, one ? "Turn the line by its knob. Make the orange squares as small as you can." : "What is lost now?");
    const share = (x) => (hidden ? "0" : `${(100 * x) / result.total}%`);
    keptBar.style.width = share(result.kept);
    lostBar.style.width = share(result.lost);
    least.style.right = share(result.bound);
    write(total, show(result.total));
    const results = [[kept, result.kept], [lost, result.lost], [bound, result.bound]];
    for (const [text, x] of results) write(text, hidden ? "?" : show(x));
    write(limit, one ? "least that a line loses, σ₂²" : "least that two numbers lose");
    write(message, hidden ? "The errors are hidden until you have answered." : sentence(state, result));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ angle, numbers }, { lost, bound, best, sigma }) {
  if (numbers === 2) return "With two numbers in the state, every point is rebuilt, and nothing is lost.";
  const part = show(lost);
  if (sigma[0] - sigma[1] < 1e-9) return `The line at ${angle}° loses ${part}, and so does every line: both σ² are equal.`;
  const off = Math.abs(((angle - best + 270) % 180) - 90); // degrees from the best line
  if (off <= 0.5) return `The line at ${angle}° loses ${part}, the least that whole degrees allow. It lies along the direction of σ₁.`;
  return `The line at ${angle}° loses ${part}, which is ${show(lost - bound)} more than the best line.`;
}

export default { initialize, render, compute, valid, shape };
