// Clocks with a memory: rotary pairs at a length that training never saw, and four ways to keep
// them inside.
const PAIRS = 8;
const MOST = 8;
const SLOW = 1;
const EDGE = 1e-9;
const TURN = 2 * Math.PI;
const WAYS = {
  plain: _("nothing"),
  interpolate: "divide every angle",
  ntk: "a larger base (NTK)",
  yarn: "divide slow hands (ramp)",
  clip: "clip far offsets",
};
const frequencies = (base) => range(PAIRS).map((k) => base ** (-k / PAIRS));
const raisedBase = ({ base }, s) => base * s ** (PAIRS / (PAIRS - 1));

/** The angle of each pair per position in the test. */
const SPEEDS = {
  plain: ({ base }) => frequencies(base),
  clip: ({ base }) => frequencies(base),
  interpolate: ({ base }, s) => frequencies(base).map((w) => w / s),
  ntk: (state, s) => frequencies(raisedBase(state, s)),
  yarn: ({ base, train, fast }, s) =>
    frequencies(base).map((w) => {
      const gamma = clamp(((w * train) / TURN - SLOW) / (fast - SLOW), 0, 1);
      return gamma * w + ((1 - gamma) * w) / s;
    }),
};
/** What an offset counts as. */
const counted = ({ way, train }, t) => (way === "clip" ? Math.min(t, train) : t);

/**
 * In radians: the arcs seen in training, the angle of one step, where the hands end, and which
 * pairs leave their arcs.
 */
function compute(state) {
  const { train, test, way, base } = state;
  const s = test / train;
  const theta = frequencies(base);
  const omega = SPEEDS[way](state, s);
  const seen = theta.map((w) => w * train);
  const offsets = range(test + 1).map((t) => counted(state, t));
  const last = omega.map((w) => w * offsets[test]);
  const beyond = omega.map((w, k) => offsets.some((t) => (t * w) % TURN > seen[k] + EDGE));
  return {
    s,
    raised: raisedBase(state, s),
    arcs: seen.map((x) => Math.min(x, TURN)),
    before: theta,
    steps: omega,
    ends: last,
    hands: last.map((x) => [Math.cos(x), Math.sin(x)]),
    beyond,
    outside: beyond.filter(Boolean).length,
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ train, test, way, base, fast }) =>
  [train, test].every(Number.isInteger) &&
  train >= 8 &&
  train <= 64 &&
  test >= train &&
  test <= MOST * train &&
  Object.hasOwn(WAYS, way) &&
  base >= 10 &&
  base <= 1e6 &&
  fast >= 1.1 &&
  fast <= 32;
const shape = ({ train }) => train;

// ---- drawing: a face of radius 50, whose hands begin at the right and go round as in clock.js ---
const RADIUS = 50;
const short = (x) => typeset(Number(x.toPrecision(3)));
const onRim = (angle, r = RADIUS) => [r * Math.cos(angle), -r * Math.sin(angle)].map(hundredth);

/**
 * The path of an arc on the rim from one angle to another, at most once round; of two halves, so
 * that a whole circle can be drawn.
 */
function arcPath(from, to, r = RADIUS) {
  const [a, b, c] = [from, (from + to) / 2, to].map((angle) => onRim(angle, r).join(" "));
  return to > from ? `M${a}A${r} ${r} 0 0 0 ${b}A${r} ${r} 0 0 0 ${c}` : "";
}

/**
 * By how much the angles of pair k are drawn larger, so that a slow hand can be seen to move: 1, 2,
 * 5, 10 …
 */
function zoomOf({ train, base }, k) {
  const room = TURN / (MOST * train * base ** (-k / PAIRS));
  const ten = 10 ** Math.floor(Math.log10(room));
  return Math.max(1, ten * [5, 2, 1].find((x) => x * ten <= room));
}

/**
 * One face: the arc seen in training, what is reached beyond it, one step, now and before a repair,
 * and the hand of the longest offset.
 */
function dial(k) {
  const looks = ["live-tint", "live-unseen", "live-stride live-stride-before", "live-stride"];
  const [tint, unseen, before, stride] = looks.map((look) => make("path", { class: look }));
  const tip = set(mark(5, 11), { class: "live-cross" });
  const needle = make(
    "g",
    { class: "live-needle" },
    make("line", { x2: RADIUS }),
    make("g", { transform: `translate(${RADIUS} 0)` }, make("circle", { r: 5 }), tip),
  );
  const svg = make(
    "svg",
    { viewBox: "-60 -60 120 120", role: "img" },
    tint,
    make("circle", { r: RADIUS, class: "live-rim" }),
    unseen,
    before,
    stride,
    make("circle", { r: 2.5, class: "live-hub" }),
    needle,
  );
  const step = make("span", { "data-shows": `steps ${k}` });
  const name = make("div");
  const element = div("live-dial", svg, name, make("div", {}, step));
  let zoom = 1;
  const strideOf = (angle) => arcPath(0, Math.min(zoom * angle, TURN), RADIUS + 5);
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
    set(before, { d: strideOf(result.before[k]) });
    set(stride, { d: strideOf(result.steps[k]) });
    needle.classList.toggle("live-beyond", out && result.ends[k] % TURN > result.arcs[k] + EDGE);
    write(step, hidden ? "?" : short(result.steps[k]));
    step.toggleAttribute("data-changed", !hidden && result.steps[k] !== result.before[k]);
    const message = out ? "reaches unseen angles" : "only seen angles";
    set(svg, { "aria-label": hidden ? `pair ${k}` : `pair ${k}: ${message}` });
  };
  return { element, turn, put };
}

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const { train } = first;
  const most = MOST * train;
  const parts = { seen: null, frame: 0, train, most };
  const moveTo = (test) => change({ test: clamp(Math.round(test), train, most) });
  parts.dials = range(PAIRS).map(dial);
  parts.road = buildRoad(train, most, read, moveTo);
  parts.ways = Object.entries(WAYS).map(([way, name]) => {
    return { way, element: button(name, () => change({ way })) };
  });
  parts.message = messageLine();
  parts.outside = make("b", { "data-shows": "outside" });
  const group = {
    class: "live-ways",
    role: "group",
    "aria-label": "What is done about the length",
  };
  el.append(
    hintLine("Drag the diamond. Then bring every hand home: what does each repair cost?"),
    div(
      "live-asked",
      parts.road.svg,
      make(
        "p",
        { class: "live-memory-count" },
        fillIn("{outside} of 8 hands meet angles never seen", { outside: parts.outside }),
      ),
    ),
    div("live-dials", parts.dials.map(({ element }) => element)),
    make("div", group, make("span", {}, _("repair")), parts.ways.map(({ element }) => element)),
    parts.message,
    div("live-controls", button("Back to start", () => change(first))),
  );
  return parts;
}

/** The road: what training saw of it, and the handle at the longest offset of the test. */
function buildRoad(train, most, read, moveTo) {
  const along = (t) => 14 + (552 * t) / most;
  const label = (x, y, text) => make("text", { x, y, "text-anchor": "middle" }, text);
  const line = (look, x1, x2) => make("line", { class: look, x1, x2, y1: 36, y2: 36 });
  const fresh = line("live-road-new", along(train), along(train));
  const above = set(label(0, 15), { "text-anchor": "end" });
  const seen = set(label(along(0), 15, "seen in training"), { "text-anchor": "start" });
  const s = make("tspan", { "data-shows": "s" });
  const svg = make(
    "svg",
    {
      viewBox: "0 0 580 66",
      role: "group",
      "aria-label": "Longest offset of the test",
      class: "live-road",
    },
    line("live-axis", along(0), along(most)),
    line("live-road-seen", along(0), along(train)),
    fresh,
    seen,
    above,
    label(along(0), 62, "0"),
    label(along(train), 62, train),
    label(along(most), 62, most),
  );
  const drag = (x) => moveTo(((x - along(0)) * most) / 552);
  const step = (right, up) => moveTo(read().test + right + up);
  const name = "longest offset of the test";
  const move = handle(svg, name, "live-orange", mark(3, 10), drag, step);
  return { svg, along, fresh, above, s, move };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  parts.dials.forEach((face, k) => face.put(result, hidden, zoomOf(state, k)));
  travel(parts, result);
  drawRoad(parts, state, result);
  write(parts.outside, hidden ? "?" : String(result.outside));
  for (const { way, element } of parts.ways) set(element, { "aria-pressed": way === state.way });
}

/** Lets the hands turn from the angles at which they are drawn to where they belong. */
function travel(parts, { ends, arcs, beyond }) {
  cancelAnimationFrame(parts.frame);
  const from = parts.seen || ends;
  const begun = performance.now();
  const time = calm() || !parts.seen ? 0 : 250;
  const step = () => {
    const left = time ? Math.max(1 - (performance.now() - begun) / time, 0) : 0;
    parts.seen = ends.map((end, k) => end - left * (end - from[k]));
    parts.dials.forEach(({ turn }, k) => turn(parts.seen[k], arcs[k], beyond[k]));
    if (left) parts.frame = requestAnimationFrame(step);
  };
  step();
}

function drawRoad({ train, most, road: { along, fresh, above, s, move } }, { test }, result) {
  const x = along(test);
  const reach = { now: test, min: train, max: most };
  move([x, 36], `${test}, ${show(result.s)} times training`, reach);
  set(fresh, { x2: x });
  set(above, { x: clamp(x, 490, 566), visibility: test > train ? null : "hidden" });
  tell(above, "never seen, to {test}: {s} times", { test, s });
  write(s, show(result.s));
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
const speak = (state, result, { hidden }) =>
  hidden ? "The hands are hidden until you have answered." : sentence(state, result);

/** What is said of the repair. */
function sentence({ way, train, test, base, fast }, { s, raised, outside }) {
  const times = `s\u00a0=\u00a0${short(s)}`;
  const pairs = outside === 1
    ? "1 pair reaches angles never seen"
    : `${outside} pairs reach angles never seen`;
  if (test === train) return "As long as in training: every hand stays where it has been.";
  return {
    plain: outside
      ? `Nothing is changed: ${pairs}, the slowest ${
        short(s)
      } times as far. A pair that went round in training has seen them all.`
      : "Nothing is changed, and no pair reaches an angle never seen.",
    interpolate:
      `Every position is divided by ${times}: all hands stay inside, but neighbours are ${
        short(s)
      } times closer.`,
    ntk: paragraph(
      `The base grows from ${short(base)} to ${
        short(raised)
      }: the fastest pair keeps its step, that of the slowest is divided by ${times}.`,
      outside ? `In between, ${pairs}.` : "In between, no pair reaches an angle never seen.",
    ),
    yarn: `A pair with ${
      short(fast)
    } turns or more in training keeps its step; below one turn the step is divided by ${times}, in between it is mixed.`,
    clip:
      `An offset beyond ${train} counts as ${train}: no step changes, no hand leaves. All farther tokens look equally far.`,
  }[way];
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
