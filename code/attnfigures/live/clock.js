// Clocks of a rotary encoding: a query and a key as two hands on the face of every pair of
// coordinates.
const LAST = 60;
const MOST = 4;
const RADIUS = 50;
const TURN = 2 * Math.PI;

// ---- compute -------------------------------------------------------------------------------------

// What a position makes of the pair (1, 0): turned by the angle ωt, or with a sine and a cosine of
// it added.
const turned = (angle) => [Math.cos(angle), Math.sin(angle)];
const SCHEMES = { rotary: turned, sinusoidal: (angle) => [1 + Math.sin(angle), Math.cos(angle)] };

/** The frequency of each pair. */
const frequencies = ({ pairs, base }) => range(pairs).map((k) => base ** (-k / pairs));

/** The pairs of the content (1, 0, 1, 0, …) at a position. */
const handsAt = ({ scheme }, omega, t) => omega.map((w) => SCHEMES[scheme](w * t));

/** What each pair adds to a score. */
const termsOf = (query, key) => query.map((pair, k) => dot(pair, key[k]));

/** The score of the query at i and the key at j. */
const scoreAt = (state, omega, i, j) =>
  total(termsOf(handsAt(state, omega, i), handsAt(state, omega, j)));

/**
 * The angle of each face from the query's hand to the key's, in radians. Turning counts the full
 * turns.
 */
function anglesAt(state, omega, i, j) {
  if (state.scheme === "rotary") return omega.map((w) => (j - i) * w);
  const key = handsAt(state, omega, j);
  const across = ([a, b], [c, d]) => a * d - b * c;
  return handsAt(state, omega, i).map((pair, k) =>
    Math.atan2(across(pair, key[k]), dot(pair, key[k]))
  );
}

/**
 * Hands, angles, what each face adds to the score, the score, and the score as a function of the
 * key's position.
 */
function compute(state) {
  const { query, key } = state;
  const omega = frequencies(state);
  const hands = [query, key].map((t) => handsAt(state, omega, t));
  const terms = termsOf(...hands);
  const score = total(terms);
  const scoreFromZero = scoreAt(state, omega, 0, key - query);
  const curve = range(2 * LAST + 1).map((t) => scoreAt(state, omega, query, t / 2));
  const fromZero = range(4 * LAST + 1).map((t) => scoreAt(state, omega, 0, t / 2 - LAST));
  return {
    speeds: omega,
    hands,
    angles: anglesAt(state, omega, query, key),
    terms,
    score,
    scoreFromZero,
    offsetGap: Math.abs(score - scoreFromZero),
    curve,
    fromZero,
  };
}

// ---- valid ---------------------------------------------------------------------------------------

const RANGES = { query: [0, LAST], key: [0, LAST], pairs: [1, MOST], base: [1, 1e6] };

/** Whether a state from outside, such as an address, can be drawn. */
function valid(state) {
  const isWithin = ([name, [least, most]]) => state[name] >= least && state[name] <= most;
  return (
    Object.entries(RANGES).every(isWithin) &&
    [state.query, state.key, state.pairs].every(Number.isInteger) &&
    Object.hasOwn(SCHEMES, state.scheme)
  );
}

// ---- build ---------------------------------------------------------------------------------------

// Ruler and curve are equally wide, with the same margins.
const WIDTH = 560;
const MARGIN = 20;
const LENGTH = WIDTH - 2 * MARGIN;
const MIDDLE = WIDTH / 2;
const PLOT = { top: 10, high: 96 }; // the curve between its largest score and its least
const along = (share) => MARGIN + LENGTH * share;
const label = (x, y, text = "") =>
  make("text", { class: "live-label", x, y, "text-anchor": "middle" }, text);
const axis = (x1, x2, y1, y2) => make("line", { class: "live-axis", x1, x2, y1, y2 });

/** Puts all elements into `el`, and returns those that change, with what `draw` remembers. */
function build({ el, read, change, first }) {
  const parts = {
    faces: range(MOST).map(buildFace), // some of them hidden
    ruler: buildRuler(read, change),
    plot: buildPlot(),
    controls: buildControls(change),
    memory: {
      drawn: null, // the state that was drawn last
      before: null, // and the one before it
      scoreApart: 0, // the score when query and key were last moved one without the other
      positions: null, // those that the hands show, perhaps on their way
      frame: 0, // the next one of their movement
    },
    other: make(
      "p",
      { class: "live-other-scheme" },
      "This answer was about the other choice of positions.",
    ),
    laws: verdictList(),
    hint: hintLine(),
    message: messageLine(),
  };
  const { faces, ruler, plot, controls, other, laws, hint, message } = parts;
  // Called by the kit, which adds `update` to the parts, once the question is answered.
  parts.reveal = () => {
    el.querySelector(".live-why").after(other);
    parts.update();
  };
  const { scheme, pairs, base } = controls;
  const reset = button("Back to start", () => change(first));
  const settings = div("live-controls", scheme.element, pairs.element, base.element, reset);
  el.append(
    hint,
    div(
      "live-clock-all",
      ruler.svg,
      div("live-clocks", faces.map(({ element }) => element)),
      plot.svg,
    ),
    settings,
    laws,
    message,
  );
  return parts;
}

/** One face: a circle, two hands on an axle, the arc between them, and what it adds to the score. */
function buildFace(k) {
  const hands = [0, 1].map((h) => make("line", { class: `live-hand ${HUES[h]}` }));
  const tips = [0, 1].map((h) => make("g", { class: `live-tip ${HUES[h]}` }, mark(h, 7)));
  const arc = make("polyline", { class: "live-arc live-purple" });
  const axle = make("circle", { r: 2.5, class: "live-axle" });
  const all = make("g", {}, arc, [...hands].reverse(), axle, tips);
  const look = { viewBox: "-60 -60 120 120", role: "img", "aria-label": `Face of pair ${k}` };
  const svg = make("svg", look, make("circle", { r: RADIUS, class: "live-ring" }), all);
  const shown = (name) => make("span", { "data-shows": `${name} ${k}` });
  const [speed, angle, adds] = ["speeds", "angles", "terms"].map(shown);
  const apart = make("div");
  const element = div(
    "live-clock",
    div("live-clock-speed", `ω${low(k)} = `, speed),
    svg,
    apart,
    make("div", {}, fillIn("adds {adds}", { adds })),
  );
  return { element, all, hands, tips, arc, speed, angle, adds, apart };
}

/** The ruler with its two handles. */
function buildRuler(read, change) {
  const arrow = make("path", { class: "live-offset live-purple" });
  const names = [4, 100, 41].map((y) => label(0, y));
  for (const name of names.slice(0, 2)) set(name, { "dominant-baseline": "central" });
  const stem = (y, h) => make("line", { class: `live-ray ${HUES[h]}`, y1: y, y2: 50 });
  const stems = [4, 100].map(stem);
  const ticks = range(LAST + 1).map((t) => `M${along(t / LAST).toFixed(1)} 50v${tickOf(t)}`);
  const svg = make(
    "svg",
    {
      viewBox: `0 -14 ${WIDTH} 132`,
      role: "group",
      "aria-label": "Positions of query and key",
      class: "live-ruler live-places",
    },
    stems,
    axis(along(0), along(1), 50, 50),
    make("path", { class: "live-axis", d: ticks.join("") }),
    range(7).map((t) => label(along(t / 6), 79, 10 * t)),
    arrow,
    names,
  );
  return { svg, arrow, names, stems, ...rulerHandles(svg, read, change) };
}

/** How long a tick of the ruler is. */
function tickOf(t) {
  if (t % 10 === 0) return 11;
  return t % 5 === 0 ? 7 : 4;
}

/** The handle of the query, which takes the key along, and that of the key. */
function rulerHandles(svg, read, change) {
  const placeAt = (x) => Math.round((LAST * (x - MARGIN)) / LENGTH);
  const moveBoth = (to) => {
    const { query, key } = read();
    const by = clamp(to - query, -Math.min(query, key), LAST - Math.max(query, key));
    if (by) change({ query: query + by, key: key + by });
  };
  const moveKey = (to) => change({ key: clamp(to, 0, LAST) });
  const putQuery = handle(
    svg,
    "query, takes the key along",
    "live-blue",
    mark(0, 16),
    (x) => moveBoth(placeAt(x)),
    (dx, dy) => moveBoth(read().query + dx + dy),
  );
  const putKey = handle(
    svg,
    "key, moves alone",
    "live-orange",
    mark(1, 17),
    (x) => moveKey(placeAt(x)),
    (dx, dy) => moveKey(read().key + dx + dy),
  );
  return { putQuery, putKey };
}

/** The score against the offset. */
function buildPlot() {
  const band = make("polyline", { class: "live-band" });
  const line = make("polyline", { class: "live-arc live-purple" });
  const point = make("circle", { r: 5, class: "live-point" });
  const most = label(13, 14);
  const zero = make("g", {}, axis(along(0), along(1), 0, 0), label(13, 4, 0));
  const middle = axis(MIDDLE, MIDDLE, PLOT.top, PLOT.top + PLOT.high);
  const numbers = range(7).map((t) => label(along(t / 6), 125, typeset(20 * t - LAST)));
  const look = {
    viewBox: `0 -18 ${WIDTH} 146`,
    role: "img",
    class: "live-ruler live-clock-plot",
    "aria-label": "The score against the offset",
  };
  const svg = make("svg", look, zero, middle, band, line, point, most, numbers);
  const score = make("tspan", { class: "live-clock-score", "data-shows": "score" });
  const title = make("text", { class: "live-label live-clock-title", x: MARGIN, y: -4 });
  svg.append(title);
  return { svg, band, line, point, most, zero, score, title };
}

/** What positions do, how many pairs there are, and the base of their frequencies. */
function buildControls(change) {
  const named = { rotary: "turn q and k (rotary)", sinusoidal: "are added (sinusoidal)" };
  const count = { min: 1, max: MOST, step: 1, text: String };
  const log = { min: 1, max: 6, step: 1, text: (x) => String(Math.round(10 ** x)) };
  return {
    scheme: choice(_("positions"), named, (scheme) => change({ scheme })),
    pairs: slider(_("pairs"), count, (pairs) => change({ pairs })),
    base: slider(_("base"), log, (x) => change({ base: 10 ** x })),
  };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { el, first, hidden }) {
  const { faces, ruler, plot, controls, hint, laws } = parts;
  remember(parts.memory, state, result);
  faces.forEach((face, k) => drawFace(face, k, state, result, hidden));
  const scale = plotOf(state, result);
  drawPlot(plot, scale, state, result, hidden);
  travel(parts, scale, state);
  drawRuler(ruler, state);
  controls.scheme.put(state.scheme);
  controls.pairs.put(state.pairs);
  controls.base.put(Math.log10(state.base));
  write(hint, HINTS[state.scheme]);
  // The question was about one scheme: for the other, what it says gives way to `other`.
  el.classList.toggle("live-elsewhere", state.scheme !== first.scheme);
  laws.replaceChildren(lawOf(state, result));
  laws.toggleAttribute("data-away", hidden);
}

/** Keeps the state before, and the score from which query and key have moved together. */
function remember(memory, state, { score }) {
  const was = memory.drawn;
  const offset = ({ query, key }) => key - query;
  const together = was && alike(was, state) && offset(was) === offset(state);
  if (!together) memory.scoreApart = score;
  memory.before = was;
  memory.drawn = state;
}

const alike = (was, state) =>
  ["pairs", "base", "scheme"].every((part) => was[part] === state[part]);

const short = (x) => typeset(Number(x.toPrecision(3)));

/** What one face says of its pair; faces without a pair are hidden. */
function drawFace({ element, speed, angle, adds, apart }, k, state, result, hidden) {
  element.hidden = k >= state.pairs;
  if (element.hidden) return;
  const turn = `${typeset(state.key - state.query)} ω${low(k)}`;
  const rotary = state.scheme === "rotary";
  write(speed, short(result.speeds[k]));
  tell(apart, rotary ? "{turn} = {angle}" : "apart {angle}", { angle, turn });
  write(angle, hidden ? "?" : short(result.angles[k]));
  write(adds, hidden ? "?" : show(result.terms[k]));
}

/** Draws what turns for the positions i and j, which need not be whole on the way. */
function paint({ faces, plot, memory }, scale, state, [i, j]) {
  const omega = frequencies(state);
  const angles = anglesAt(state, omega, i, j);
  const hands = [i, j].map((t) => handsAt(state, omega, t));
  const rotary = state.scheme === "rotary";
  omega.forEach((_x, k) => drawHands(faces[k], hands.map((pairs) => pairs[k]), angles[k], rotary));
  const [cx, cy] = scale.to(j - i, total(termsOf(...hands)));
  set(plot.point, { cx, cy });
  memory.positions = [i, j];
}

/** Both hands of a face. Turning, the tips go round the axle; adding, round the content (1, 0). */
function drawHands({ all, hands, tips, arc }, pairs, angle, rotary) {
  set(all, { transform: `translate(${rotary ? 0 : -RADIUS} 0)` });
  pairs.forEach(([x, y], h) => {
    const x2 = hundredth(RADIUS * x);
    const y2 = hundredth(-RADIUS * y);
    const degrees = hundredth((360 * Math.atan2(y2, x2)) / TURN);
    set(hands[h], { x2, y2 });
    set(tips[h], { transform: `translate(${x2} ${y2}) rotate(${degrees})` });
  });
  const [[x, y]] = pairs;
  set(arc, { points: spiral(Math.atan2(y, x), angle) });
}

/** Points along an arc that winds outwards, so that full turns can be counted. */
function spiral(from, sweep) {
  const steps = Math.ceil((40 * Math.abs(sweep)) / TURN) + 1;
  const pointAt = (s) => {
    const part = (sweep * s) / steps;
    const r = 20 + (2.8 * Math.abs(part)) / TURN;
    return turned(-(from + part)).map((x) => hundredth(r * x)).join();
  };
  return range(steps + 1).map(pointAt).join(" ");
}

/**
 * The hands turn to where they belong in a fifth of a second, or at once where movement is not
 * wanted.
 */
function travel(parts, scale, state) {
  const { memory } = parts;
  const to = [state.query, state.key];
  const from = memory.positions;
  const begun = performance.now();
  cancelAnimationFrame(memory.frame);
  if (calm() || !from || from.join() === to.join()) return paint(parts, scale, state, to);
  const step = () => {
    const left = Math.max(1 - (performance.now() - begun) / 200, 0);
    paint(parts, scale, state, to.map((x, h) => x - left * (x - from[h])));
    if (left) memory.frame = requestAnimationFrame(step);
  };
  step();
}

/** The two positions on the ruler, and the arrow from the query to the key. */
function drawRuler({ arrow, names, stems, putQuery, putKey }, { query: i, key: j }) {
  const [x1, x2] = [i, j].map((t) => along(t / LAST));
  const tip = i < j ? -7 : 7;
  const offset = typeset(j - i);
  putQuery([x1, 4], `query at ${i}, key at ${j}`, { now: i, min: 0, max: LAST });
  putKey([x2, 100], `key at ${j}, offset ${offset}`, { now: j, min: 0, max: LAST });
  [x1, x2].forEach((x, h) => set(stems[h], { x1: x, x2: x }));
  set(arrow, { d: i === j ? "" : `M${x1} 50H${x2}m${tip} -5l${-tip} 5l${tip} 5` });
  nameBeside(names[0], x1, `query at ${i}`);
  nameBeside(names[1], x2, `key at ${j}`);
  putOffset(names[2], x1, x2);
  write(names[2], `offset ${offset}`);
}

/** The place of the offset: over the middle of the arrow, but beside the stem of the query. */
function putOffset(name, x1, x2) {
  const room = 110; // of the longest offset on a narrow screen
  const right = x2 >= x1 && x1 < WIDTH - room;
  const middle = (x1 + x2) / 2;
  const place = right
    ? { x: Math.max(middle - 25, x1 + 6), "text-anchor": "start" }
    : { x: Math.min(middle + 25, x1 - 6), "text-anchor": "end" };
  set(name, place);
}

/** The name of a handle, beside it towards the middle. */
function nameBeside(name, x, message) {
  const place = x < MIDDLE
    ? { x: x + 24, "text-anchor": "start" }
    : { x: x - 24, "text-anchor": "end" };
  write(set(name, place), message);
}

/**
 * The scale of the plot, from its largest score at the top to its least at the bottom: `most` is the
 * largest, `zero` the height at which a score of 0 stands, and `to(offset, score)` a point.
 */
function plotOf({ pairs, scheme }, { fromZero }) {
  const [least, most] = scheme === "rotary"
    ? [Math.min(0, ...fromZero), pairs]
    : [-pairs / 2, 4 * pairs];
  const unit = PLOT.high / (most - least);
  const heightOf = (score) => PLOT.top + unit * (most - score);
  return {
    most,
    zero: heightOf(0),
    to: (offset, score) => [along((offset + LAST) / (2 * LAST)), heightOf(score)].map(hundredth),
  };
}

/** The scores against the offset, and that of these two positions. */
function drawPlot({ band, line, most, zero, score, title }, scale, state, result, hidden) {
  const points = (scores, from) => scores.map((s, n) => scale.to(n / 2 - from, s).join()).join(" ");
  set(band, { points: points(result.fromZero, LAST) });
  set(line, { points: points(result.curve, state.query) });
  set(zero, { transform: `translate(0 ${hundredth(scale.zero)})` });
  write(most, String(scale.most));
  write(score, hidden ? "?" : show(result.score));
  const offset = typeset(state.key - state.query);
  tell(title, "score {score} at offset {offset}", { score, offset });
}

/** The law that a score depends on the offset alone, which holds for one scheme. */
function lawOf({ query: i, key: j, scheme }, { offsetGap }) {
  const product = (m, n) =>
    scheme === "rotary" ? `(R${low(m)} q)·(R${low(n)} k)` : `(x + p${low(m)})·(x + p${low(n)})`;
  return verdict(product(i, j), product(0, j - i), offsetGap);
}

// ---- speak ---------------------------------------------------------------------------------------

const HINTS = {
  rotary: "Drag the query (round): the key comes along. Then drag the key (square) alone.",
  sinusoidal: "A hand is now x + p: its length changes too, and the line leaves the band.",
};
/** What the figure says in words. */
function speak(state, result, { memory, hidden }) {
  if (hidden) return "Angles and score are hidden until you have answered.";
  const { query: i, key: j } = state;
  const was = memory.before;
  const same = was && alike(was, state);
  if (same && was.query !== i && was.key - was.query === j - i) {
    return ofBoth(result, memory.scoreApart);
  }
  const alone = same && was.query === i && was.key !== j;
  if (state.scheme === "rotary") return ofTurning(state, result, alone);
  const now = show(result.score);
  if (i === 0) {
    return `With the query at 0 and the key at ${j} the score is ${now}: here the line lies on the band.`;
  }
  return `The score is ${now}; with the query at 0 and the key at ${typeset(j - i)} it is ${
    show(result.scoreFromZero)
  }.`;
}

/** What is said once both have moved, from a place where the score was `from`. */
function ofBoth({ score }, from) {
  const now = show(score);
  return Math.abs(from - score) > EXACT
    ? `Both have moved. The score was ${show(from)} and is ${now}.`
    : `Both have moved: every hand has turned, no angle has changed, and the score is still ${now}.`;
}

/** What is said of hands that turn; `alone`, if only the key has moved. */
function ofTurning({ pairs }, { speeds, angles, score }, alone) {
  const now = show(score);
  const [first, last] = [0, -1].map((k) => short((alone ? speeds : angles).at(k)));
  if (alone) {
    return pairs > 1
      ? `Only the key turns; one position adds ${first} rad on the first face and ${last} rad on the last.`
      : `Only the key turns; one position adds ${first} rad.`;
  }
  return pairs > 1
    ? `The angle between the hands is ${first} rad on the first face and ${last} rad on the last. The score, the sum of the cosines, is ${now}.`
    : `The angle between the hands is ${first} rad. The score, the sum of the cosines, is ${now}.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
