// Clocks with a memory: rotary pairs at a length that training never saw, and four ways to keep them inside.
const PAIRS = 8, MOST = 8, SLOW = 1, EDGE = 1e-9, TURN = 2 * Math.PI;
const WAYS = { plain: _("plain"), interpolate: _("interpolate"), ntk: "NTK", yarn: _("ramp"), clip: _("clip") };
const frequencies = (base) => range(PAIRS).map((k) => base ** (-k / PAIRS));
const raisedBase = ({ base }, s) => base * s ** (PAIRS / (PAIRS - 1));

/** The angle of each pair per position in the test. */
const SPEEDS = {
  plain: ({ base }) => frequencies(base),
  clip: ({ base }) => frequencies(base),
  interpolate: ({ base }, s) => frequencies(base).map((w) => w / s),
  ntk: (state, s) => frequencies(raisedBase(state, s)),
  yarn: ({ base, train, fast }, s) => frequencies(base).map((w) => {
    const gamma = clamp(((w * train) / TURN - SLOW) / (fast - SLOW), 0, 1);
    return gamma * w + ((1 - gamma) * w) / s;
  }),
};
/** What an offset counts as. */
const counted = ({ way, train }, t) => (way === "clip" ? Math.min(t, train) : t);

/** In radians: the arcs seen in training, the angle of one step, where the hands end, and which pairs leave their arcs. */
function compute(state) {
  const { train, test, way, base } = state, s = test / train, theta = frequencies(base), omega = SPEEDS[way](state, s);
  const seen = theta.map((w) => w * train), offsets = range(test + 1).map((t) => counted(state, t));
  const last = omega.map((w) => w * offsets[test]);
  const beyond = omega.map((w, k) => offsets.some((t) => (t * w) % TURN > seen[k] + EDGE));
  return { s, raised: raisedBase(state, s), arcs: seen.map((x) => Math.min(x, TURN)), before: theta,
    steps: omega, ends: last, hands: last.map((x) => [Math.cos(x), Math.sin(x)]), beyond,
    outside: beyond.filter(Boolean).length };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ train, test, way, base, fast }) => [train, test].every(Number.isInteger) && train >= 8 && train <= 64
  && test >= train && test <= MOST * train && Object.hasOwn(WAYS, way) && base >= 10 && base <= 1e6
  && fast >= 1.1 && fast <= 32;
const shape = ({ train }) => train;

// ---- drawing: a face of radius 50, whose hands begin at the right and go round as in clock.js ----------------------
const RADIUS = 50, short = (x) => typeset(Number(x.toPrecision(3)));
const onRim = (angle, r = RADIUS) => [r * Math.cos(angle), -r * Math.sin(angle)].map(hundredth);

/** The path of an arc on the rim from one angle to another, at most once round; of two halves, so that a whole circle
 *  can be drawn. */
function arcPath(from, to, r = RADIUS) {
  const [a, b, c] = [from, (from + to) / 2, to].map((angle) => onRim(angle, r).join(" "));
  return to > from ? `M${a}A${r} ${r} 0 0 0 ${b}A${r} ${r} 0 0 0 ${c}` : "";
}

/** By how much the angles of pair k are drawn larger, so that a slow hand can be seen to move: 1, 2, 5, 10 … */
function zoomOf({ train, base }, k) {
  const room = TURN / (MOST * train * base ** (-k / PAIRS)), ten = 10 ** Math.floor(Math.log10(room));
  return Math.max(1, ten * [5, 2, 1].find((x) => x * ten <= room));
}

/** One face: the arc seen in training, what is reached beyond it, one step, and the hand of the longest offset. */
function dial(k) {
  const looks = ["live-tint", "live-unseen", "live-stride"];
  const [tint, unseen, stride] = looks.map((look) => make("path", { class: look }));
  const tip = set(mark(5, 11), { class: "live-cross" });
  const needle = make("g", { class: "live-needle" }, make("line", { x2: RADIUS }),
    make("g", { transform: `translate(${RADIUS} 0)` }, make("circle", { r: 5 }), tip));
  const svg = make("svg", { viewBox: "-60 -60 120 120", role: "img" }, tint,
    make("circle", { r: RADIUS, class: "live-rim" }), unseen, stride,
    make("circle", { r: 2.5, class: "live-hub" }), needle);
  const step = make("span", { "data-shows": `steps ${k}` });
  const name = make("div"), element = make("div", { class: "live-dial" }, svg, name, make("div", {}, step));
  let zoom = 1;
  /** Turns the hand to an angle, which may be several turns. */
  const turn = (angle, arc, beyond) => {
    set(needle, { transform: `rotate(${hundredth((-360 * zoom * angle) / TURN)})` });
    set(unseen, { d: beyond ? arcPath(zoom * arc, Math.min(zoom * angle, TURN)) : "" });
  };
  const put = (result, hidden, larger) => {
    zoom = larger;
    write(name, zoom > 1 ? `pair ${k}, × ${zoom}` : `pair ${k}`);
    const out = result.beyond[k] && !hidden;
    set(tint, { d: `${arcPath(0, zoom * result.arcs[k])}L0 0Z` });
    set(stride, { d: arcPath(0, Math.min(zoom * result.steps[k], TURN), RADIUS + 5) });
    needle.classList.toggle("live-beyond", out && result.ends[k] % TURN > result.arcs[k] + EDGE);
    write(step, hidden ? "?" : short(result.steps[k]));
    step.toggleAttribute("data-changed", !hidden && result.steps[k] !== result.before[k]);
    const message = out ? "reaches unseen angles" : "only seen angles";
    set(svg, { "aria-label": hidden ? `pair ${k}` : `pair ${k}: ${message}` });
  };
  return { element, turn, put };
}

function render({ model, el }) {
  const [read, change] = stateOf(model), start = read(), { train } = start, most = MOST * train;
  const asking = () => el.classList.contains("live-asking"), dials = range(PAIRS).map(dial);
  const moveTo = (test) => change({ test: clamp(Math.round(test), train, most) });

  // the road: what training saw of it, and the handle at the longest offset of the test
  const along = (t) => 14 + (312 * t) / most;
  const label = (x, y, ...text) => make("text", { x, y, "text-anchor": "middle" }, text);
  const line = (look, x1, x2) => make("line", { class: look, x1, x2, y1: 36, y2: 36 });
  const fresh = line("live-road-new", along(train), along(train)), s = make("tspan", { "data-shows": "s" });
  const above = label(0, 13);
  const road = make("svg", { viewBox: "0 0 340 66", role: "group", "aria-label": "Longest offset of the test",
    class: "live-road" }, line("live-axis", along(0), along(most)), line("live-road-seen", along(0), along(train)),
  fresh, above, label(along(0), 62, "0"), label(along(train), 62, train), label(along(most), 62, most));
  const put = handle(road, "longest offset of the test", "live-orange", mark(3, 10),
    (x) => moveTo(((x - along(0)) * most) / 312), (right, up) => moveTo(read().test + right + up));
  const id = newId(), typed = make("input", { type: "number", id, class: "live-typed", min: train, max: most, step: 1, onchange() {
    const test = typed.valueAsNumber, taken = Number.isInteger(test) && test >= train && test <= most;
    if (taken) return moveTo(test);
    write(says, typed.value ? `${typed.value} is not taken: the longest offset is a whole number from ${train} to ${most}.`
      : `That is not taken: the longest offset is a whole number from ${train} to ${most}.`);
    speak(says.textContent);
    typed.value = read().test;
  } });

  const ways = Object.entries(WAYS).map(([way, name]) => [way, button(name, () => change({ way }))]);
  const icon = { viewBox: "-11 -7 22 14", "aria-hidden": true };
  const sign = (text, ...parts) => make("span", {}, make("svg", icon, parts), text);
  const dash = { x1: -11, x2: 11 }, cross = set(mark(5, 7), { class: "live-cross" });
  const legends = make("div", { class: "live-legends" },
    sign("seen in training", make("rect", { class: "live-tint", x: -11, y: -7, width: 22, height: 14 })),
    sign("reached, never seen", make("line", { class: "live-unseen", ...dash })),
    sign("one step, in radians below; underlined: changed", make("line", { class: "live-stride", ...dash })),
    sign("hand at the longest offset", make("g", { class: "live-needle" }, make("line", dash))),
    make("span", {}, "× 5: angles drawn 5 times as large"),
    sign("hand of a pair outside", make("g", { class: "live-needle live-beyond" }, make("line", dash), cross)));
  const says = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Drag the diamond to a longer text: which hands leave what training has seen? Which repair brings every hand back, and what does it cost?"), make("div", { class: "live-asked" },
    road, make("div", { class: "live-ways", role: "group", "aria-label": "What is done about the length" }, ways.map(([, element]) => element))),
  make("div", { class: "live-dials" }, dials.map(({ element }) => element)), legends,
  make("div", { class: "live-controls" }, control("longest offset", typed, id),
    button("Back to start", () => change(start))), says);
  const speak = setUp(model, el, update);

  let seen = null, frame = 0; // the angles at which the hands are drawn: they turn to where they belong
  function travel(result) {
    cancelAnimationFrame(frame);
    const from = seen || result.ends, begun = performance.now(), time = calm() || !seen ? 0 : 250;
    (function step() {
      const left = time ? Math.max(1 - (performance.now() - begun) / time, 0) : 0;
      seen = result.ends.map((end, k) => end - left * (end - from[k]));
      dials.forEach(({ turn }, k) => turn(seen[k], result.arcs[k], result.beyond[k]));
      if (left) frame = requestAnimationFrame(step);
    })();
  }

  function update() {
    const state = read(), { test, way } = state, result = compute(state), hidden = asking(), x = along(test);
    dials.forEach((face, k) => face.put(result, hidden, zoomOf(state, k)));
    travel(result);
    put([x, 36], `${test}, ${show(result.s)} times training`, { now: test, min: train, max: most });
    set(fresh, { x2: x });
    set(above, { x: clamp(x, 104, 236) });
    tell(above, "test: offsets up to {test}, s = {s}", { test, s });
    write(s, show(result.s));
    if (document.activeElement !== typed) typed.value = test;
    ways.forEach(([name, element]) => set(element, { "aria-pressed": name === way }));
    write(says, hidden ? "The hands are hidden until you have answered." : sentence(state, result));
    speak(says.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ way, train, test, base, fast }, { s, raised, outside }) {
  const times = `s\u00a0=\u00a0${short(s)}`;
  const pairs = outside === 1 ? "1 pair reaches angles never seen" : `${outside} pairs reach angles never seen`;
  if (test === train) return "As long as in training: every hand stays where it has been.";
  return {
    plain: outside ? `Nothing is changed: ${pairs}, the slowest ${short(s)} times as far. A pair that went round in training has seen them all.`
      : "Nothing is changed, and no pair reaches an angle never seen.",
    interpolate: `Every position is divided by ${times}: all hands stay inside, but neighbours are ${short(s)} times closer.`,
    ntk: paragraph(`The base grows from ${short(base)} to ${short(raised)}: the fastest pair keeps its step, that of the slowest is divided by ${times}.`,
      outside ? `In between, ${pairs}.` : "In between, no pair reaches an angle never seen."),
    yarn: `A pair with ${short(fast)} turns or more in training keeps its step; below one turn the step is divided by ${times}, in between it is mixed.`,
    clip: `An offset beyond ${train} counts as ${train}: no step changes, no hand leaves. All farther tokens look equally far.`,
  }[way];
}

export default { initialize, render, compute, valid, shape };
