// Clocks of a rotary encoding: a query and a key as two hands on the face of every pair of
// coordinates. Move both and every hand turns, but no angle changes: the score depends on the offset
// alone. Where positions are added, it does not. What is not defined here, such as `range`,
// `fillIn`, `tell`, `low` or `HUES`, is a function or a list of kit/core.js or kit/parts.js, which
// stand in front of every figure.

const LAST_POSITION = 60; // of the ruler, which begins at 0
const MAX_PAIRS = 4;
const TURN = 2 * Math.PI;

// ---- compute -------------------------------------------------------------------------------------

// What a position makes of the pair (1, 0): turned by the angle ωt, or with a sine and a cosine of
// it added.
const turned = (angle) => [Math.cos(angle), Math.sin(angle)];
const SCHEMES = { rotary: turned, sinusoidal: (angle) => [1 + Math.sin(angle), Math.cos(angle)] };

/** Whether positions turn queries and keys; if not, they are added. */
const isRotary = ({ scheme }) => scheme === "rotary";

/** The frequency of each pair. */
const frequencies = ({ pairs, base }) => range(pairs).map((k) => base ** (-k / pairs));

/** The pairs of the content (1, 0, 1, 0, …) at a position. */
const handsAt = ({ scheme }, omega, position) => omega.map((w) => SCHEMES[scheme](w * position));

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
  if (isRotary(state)) return omega.map((w) => (j - i) * w);
  const key = handsAt(state, omega, j);
  const across = ([a, b], [c, d]) => a * d - b * c;
  return handsAt(state, omega, i).map((pair, k) =>
    Math.atan2(across(pair, key[k]), dot(pair, key[k]))
  );
}

/** The positions from one to another, by halves. */
const halves = (from, to) => range(2 * (to - from) + 1).map((n) => from + n / 2);

/**
 * Hands, angles, what each face adds to the score, the score, and the score as a function of the
 * key's position.
 */
function compute(state) {
  const { query, key } = state;
  const omega = frequencies(state);
  const hands = [query, key].map((position) => handsAt(state, omega, position));
  const terms = termsOf(...hands);
  const score = total(terms);
  const scoreFromZero = scoreAt(state, omega, 0, key - query);
  return {
    speeds: omega,
    hands,
    angles: anglesAt(state, omega, query, key),
    terms,
    score,
    scoreFromZero,
    offsetGap: Math.abs(score - scoreFromZero),
    curve: halves(0, LAST_POSITION).map((j) => scoreAt(state, omega, query, j)),
    fromZero: halves(-LAST_POSITION, LAST_POSITION).map((offset) =>
      scoreAt(state, omega, 0, offset)
    ),
  };
}

// ---- valid ---------------------------------------------------------------------------------------

const RANGES = {
  query: [0, LAST_POSITION],
  key: [0, LAST_POSITION],
  pairs: [1, MAX_PAIRS],
  base: [1, 1e6],
};

/** Whether a state from outside, such as an address, can be drawn. */
function valid(state) {
  const isWithin = ([name, [least, most]]) => {
    const x = state[name];
    return Number.isFinite(x) && x >= least && x <= most;
  };
  return (
    Object.entries(RANGES).every(isWithin) &&
    [state.query, state.key, state.pairs].every(Number.isInteger) &&
    Object.hasOwn(SCHEMES, state.scheme)
  );
}

// ---- build ---------------------------------------------------------------------------------------

// Ruler and plot are equally wide, with the same margins.
const WIDTH = 560;
const MARGIN = 20;
const LENGTH = WIDTH - 2 * MARGIN;
const MIDDLE = WIDTH / 2;
// The rows of the ruler, and of the plot: its curve lies between its largest score and its least.
const ROWS = { query: 4, offset: 41, line: 50, numbers: 79, key: 100 };
const PLOT = { title: -4, top: 10, high: 96, numbers: 125, left: 13 };
const RADIUS = 50; // of a face
const SIXTHS = range(7); // the marks that divide an axis into six

/** The x of a part of the ruler or of the plot. */
const along = (share) => MARGIN + LENGTH * share;

const label = (x, y, text = "") =>
  make("text", { class: "live-label", x, y, "text-anchor": "middle" }, text);
const axis = (x1, x2, y1, y2) => make("line", { class: "live-axis", x1, x2, y1, y2 });

/** Puts all elements into `el`, and returns those that change, with the motion between two states. */
function build({ el, read, change, first }) {
  const faces = range(MAX_PAIRS).map(buildFace); // some of them hidden
  const ruler = buildRuler(read, change);
  const plot = buildPlot();
  const controls = buildControls(change);
  const laws = verdictList();
  const hint = hintLine();
  const message = messageLine();
  const { scheme, pairs, base } = controls;
  const reset = button("Back to start", () => change(first));
  el.append(
    hint,
    div(
      "live-clock-all",
      ruler.svg,
      div("live-clocks", faces.map(({ element }) => element)),
      plot.svg,
    ),
    div("live-controls", scheme.element, pairs.element, base.element, reset),
    laws,
    message,
  );
  const otherSchemeNote = buildOtherSchemeNote();
  const motion = new Motion(faces, plot.point);
  return { faces, ruler, plot, controls, otherSchemeNote, motion, laws, hint, message };
}

/** What stands in the place of an answer while the figure shows what the question was not about. */
const buildOtherSchemeNote = () =>
  make(
    "p",
    { class: "live-other-scheme" },
    "This answer was about the other choice of positions.",
  );

/** One face: a circle, two hands on an axle, the arc between them, and what it adds to the score. */
function buildFace(k) {
  const both = HUES.slice(0, 2); // of the query and of the key
  const hands = both.map((hue) => make("line", { class: `live-hand ${hue}` }));
  const tips = both.map((hue, n) => make("g", { class: `live-tip ${hue}` }, mark(n, 7)));
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

/** The ruler with its two handles, the names beside them, and the arrow of the offset. */
function buildRuler(read, change) {
  const { query, key, line, numbers } = ROWS;
  const arrow = make("path", { class: "live-offset live-purple" });
  const centred = { "dominant-baseline": "central" };
  const names = {
    query: set(label(0, query), centred),
    key: set(label(0, key), centred),
    offset: label(0, ROWS.offset),
  };
  const stem = (y, hue) => make("line", { class: `live-ray ${hue}`, y1: y, y2: line });
  const stems = { query: stem(query, HUES[0]), key: stem(key, HUES[1]) };
  const tick = (position) =>
    `M${along(position / LAST_POSITION).toFixed(1)} ${line}v${lengthOfTick(position)}`;
  const look = {
    viewBox: `0 -14 ${WIDTH} 132`,
    role: "group",
    "aria-label": "Positions of query and key",
    class: "live-ruler live-places",
  };
  const svg = make(
    "svg",
    look,
    Object.values(stems),
    axis(along(0), along(1), line, line),
    make("path", { class: "live-axis", d: range(LAST_POSITION + 1).map(tick).join("") }),
    SIXTHS.map((n) => label(along(n / 6), numbers, 10 * n)),
    arrow,
    Object.values(names),
  );
  return { arrow, names, stems, svg, ...buildHandles(svg, read, change) };
}

/** How long a tick of the ruler is. */
function lengthOfTick(position) {
  if (position % 10 === 0) return 11;
  return position % 5 === 0 ? 7 : 4;
}

/** The handle of the query, which takes the key along, and that of the key. */
function buildHandles(svg, read, change) {
  const positionAt = (x) => Math.round((LAST_POSITION * (x - MARGIN)) / LENGTH);
  const moveBoth = (to) => {
    const { query, key } = read();
    const move = clamp(to - query, -Math.min(query, key), LAST_POSITION - Math.max(query, key));
    if (move) change({ query: query + move, key: key + move });
  };
  const moveKey = (to) => change({ key: clamp(to, 0, LAST_POSITION) });
  const putQuery = handle(
    svg,
    "query, takes the key along",
    "live-blue",
    shapeOf("circle", 16),
    (x) => moveBoth(positionAt(x)),
    (dx, dy) => moveBoth(read().query + dx + dy),
  );
  const putKey = handle(
    svg,
    "key, moves alone",
    "live-orange",
    shapeOf("square", 17),
    (x) => moveKey(positionAt(x)),
    (dx, dy) => moveKey(read().key + dx + dy),
  );
  return { putQuery, putKey };
}

/** The score against the offset. */
function buildPlot() {
  const band = make("polyline", { class: "live-band" });
  const line = make("polyline", { class: "live-arc live-purple" });
  const point = make("circle", { r: 5, class: "live-point" });
  const most = label(PLOT.left, PLOT.top + 4);
  const zero = make("g", {}, axis(along(0), along(1), 0, 0), label(PLOT.left, 4, 0));
  const middle = axis(MIDDLE, MIDDLE, PLOT.top, PLOT.top + PLOT.high);
  const numbers = SIXTHS.map((n) =>
    label(along(n / 6), PLOT.numbers, typeset(20 * n - LAST_POSITION))
  );
  const look = {
    viewBox: `0 -18 ${WIDTH} 146`,
    role: "img",
    class: "live-ruler live-clock-plot",
    "aria-label": "The score against the offset",
  };
  const svg = make("svg", look, zero, middle, band, line, point, most, numbers);
  const score = make("tspan", { class: "live-clock-score", "data-shows": "score" });
  const title = make("text", { class: "live-label live-clock-title", x: MARGIN, y: PLOT.title });
  svg.append(title);
  return { svg, band, line, point, most, zero, score, title };
}

/** What positions do, how many pairs there are, and the base of their frequencies. */
function buildControls(change) {
  const named = { rotary: "turn q and k (rotary)", sinusoidal: "are added (sinusoidal)" };
  const count = { min: 1, max: MAX_PAIRS, step: 1, text: String };
  const log = { min: 1, max: 6, step: 1, text: (x) => String(Math.round(10 ** x)) };
  return {
    scheme: choice(_("positions"), named, (scheme) => change({ scheme })),
    pairs: slider(_("pairs"), count, (pairs) => change({ pairs })),
    base: slider(_("base"), log, (x) => change({ base: 10 ** x })),
  };
}

// ---- motion --------------------------------------------------------------------------------------

const TRAVEL = 200; // milliseconds that the hands take from one state to the next

/** Whether two states differ in their positions alone. */
const areAlike = (one, other) =>
  ["pairs", "base", "scheme"].every((part) => one[part] === other[part]);

/** What has moved from one state to the next: "nothing", "both" as far, the "key" alone, or "other". */
function moveBetween(was, { query, key, ...rest }) {
  if (!was || !areAlike(was, rest)) return "other";
  const queryMoved = query !== was.query;
  if (key - query === was.key - was.query) return queryMoved ? "both" : "nothing";
  return queryMoved ? "other" : "key";
}

/**
 * What is remembered between two states: the hands turn from where they were, and the sentence tells
 * what has just moved. `draw` gives every state to `remember`, which finds out what has moved, and to
 * `travel`, which brings the hands from where they are to where they belong; `paint` draws one moment
 * of the way.
 */
class Motion {
  lastState = null; // the state that was drawn last
  lastMove = "other"; // what had moved when it was drawn
  scoreBeforeBoth = 0; // the score when query and key began to move together
  positions = null; // the two positions that the hands show, perhaps on their way
  frame = 0; // what `requestAnimationFrame` returned, for the next moment of the way

  constructor(faces, point) {
    Object.assign(this, { faces, point });
  }

  remember(state, score) {
    this.lastMove = moveBetween(this.lastState, state);
    if (this.lastMove === "key" || this.lastMove === "other") this.scoreBeforeBoth = score;
    this.lastState = state;
  }

  /** Takes a fifth of a second, or no time where movement is not wanted. */
  travel(state, scale) {
    const to = [state.query, state.key];
    const from = this.positions;
    const begun = performance.now();
    cancelAnimationFrame(this.frame);
    if (calm() || !from || from.join() === to.join()) return this.paint(to, state, scale);
    const step = () => {
      const left = Math.max(1 - (performance.now() - begun) / TRAVEL, 0);
      this.paint(to.map((end, n) => end - left * (end - from[n])), state, scale);
      if (left) this.frame = requestAnimationFrame(step);
    };
    step();
  }

  /** Draws what turns for two positions, which need not be whole. */
  paint(positions, state, scale) {
    const omega = frequencies(state);
    const angles = anglesAt(state, omega, ...positions);
    const [query, key] = positions.map((position) => handsAt(state, omega, position));
    const axle = isRotary(state) ? 0 : -RADIUS; // added, a position moves the tip round (1, 0)
    angles.forEach((angle, k) => drawHands(this.faces[k], [query[k], key[k]], angle, axle));
    const [cx, cy] = scale.to(positions[1] - positions[0], total(termsOf(query, key)));
    set(this.point, { cx, cy });
    this.positions = positions;
  }
}

// ---- draw ----------------------------------------------------------------------------------------

/**
 * Writes a state and what `compute` returns for it into the elements. `hidden` is true until the
 * reader has answered the question.
 */
function draw(parts, state, result, { el, first, hidden }) {
  const { faces, ruler, plot, controls, otherSchemeNote, motion, hint, laws } = parts;
  const scale = scaleOf(state, result);
  faces.forEach((face, k) => drawFace(face, k, state, result, hidden));
  drawPlot(plot, scale, state, result, hidden);
  drawRuler(ruler, state);
  motion.remember(state, result.score);
  motion.travel(state, scale);
  controls.scheme.put(state.scheme);
  controls.pairs.put(state.pairs);
  controls.base.put(Math.log10(state.base));
  write(hint, HINTS[state.scheme]);
  // The question was about one scheme: for the other, its answer gives way to the note. The line of
  // an answer, .live-why, is made by `predictFirst` of kit/parts.js; clock.css shows one of the two.
  if (!hidden && !otherSchemeNote.isConnected) {
    el.querySelector(".live-why")?.after(otherSchemeNote);
  }
  el.classList.toggle("live-elsewhere", state.scheme !== first.scheme);
  laws.replaceChildren(lawOf(state, result));
  laws.toggleAttribute("data-away", hidden); // not seen, and yet in its room: see live.css
}

const short = (x) => typeset(Number(x.toPrecision(3)));

/** What one face says of its pair; faces without a pair are hidden. */
function drawFace({ element, speed, angle, adds, apart }, k, state, result, hidden) {
  element.hidden = k >= state.pairs;
  if (element.hidden) return;
  const turn = `${typeset(state.key - state.query)} ω${low(k)}`;
  write(speed, short(result.speeds[k]));
  tell(apart, isRotary(state) ? "{turn} = {angle}" : "apart {angle}", { angle, turn });
  write(angle, hidden ? "?" : short(result.angles[k]));
  write(adds, hidden ? "?" : show(result.terms[k]));
}

/** Both hands of a face, whose axle stands at the x `axle`. */
function drawHands({ all, hands, tips, arc }, pairs, angle, axle) {
  set(all, { transform: `translate(${axle} 0)` });
  pairs.forEach(([x, y], n) => {
    const x2 = hundredth(RADIUS * x);
    const y2 = hundredth(-RADIUS * y);
    const degrees = hundredth((360 * Math.atan2(y2, x2)) / TURN);
    set(hands[n], { x2, y2 });
    set(tips[n], { transform: `translate(${x2} ${y2}) rotate(${degrees})` });
  });
  const [[x, y]] = pairs;
  set(arc, { points: spiral(Math.atan2(y, x), angle) });
}

/** Points along an arc that winds outwards, so that full turns can be counted. */
function spiral(from, sweep) {
  const steps = Math.ceil((40 * Math.abs(sweep)) / TURN) + 1; // 40 to a turn
  const pointAt = (step) => {
    const angle = (sweep * step) / steps;
    const radius = 20 + (2.8 * Math.abs(angle)) / TURN;
    return turned(-(from + angle)).map((x) => hundredth(radius * x)).join();
  };
  return range(steps + 1).map(pointAt).join(" ");
}

/** The two positions on the ruler, and the arrow from the query to the key. */
function drawRuler({ arrow, names, stems, putQuery, putKey }, { query: i, key: j }) {
  const [x1, x2] = [i, j].map((position) => along(position / LAST_POSITION));
  const back = i < j ? -7 : 7; // from the tip of the arrow to its barbs
  const offset = typeset(j - i);
  putQuery([x1, ROWS.query], `query at ${i}, key at ${j}`, { now: i, min: 0, max: LAST_POSITION });
  putKey([x2, ROWS.key], `key at ${j}, offset ${offset}`, { now: j, min: 0, max: LAST_POSITION });
  set(stems.query, { x1, x2: x1 });
  set(stems.key, { x1: x2, x2 });
  set(arrow, { d: i === j ? "" : `M${x1} ${ROWS.line}H${x2}m${back} -5l${-back} 5l${back} 5` });
  nameBeside(names.query, x1, `query at ${i}`);
  nameBeside(names.key, x2, `key at ${j}`);
  nameOffset(names.offset, x1, x2, `offset ${offset}`);
}

/** The name of the offset: over the middle of the arrow, but beside the stem of the query. */
function nameOffset(name, x1, x2, message) {
  const room = 110; // of the longest offset on a narrow screen
  const right = x2 >= x1 && x1 < WIDTH - room;
  const middle = (x1 + x2) / 2;
  const place = right
    ? { x: Math.max(middle - 25, x1 + 6), "text-anchor": "start" }
    : { x: Math.min(middle + 25, x1 - 6), "text-anchor": "end" };
  write(set(name, place), message);
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
function scaleOf(state, { fromZero }) {
  const { pairs } = state;
  const [least, most] = isRotary(state)
    ? [Math.min(0, ...fromZero), pairs]
    : [-pairs / 2, 4 * pairs];
  const unit = PLOT.high / (most - least);
  const heightOf = (score) => PLOT.top + unit * (most - score);
  return {
    most,
    zero: heightOf(0),
    to: (offset, score) =>
      [along((offset + LAST_POSITION) / (2 * LAST_POSITION)), heightOf(score)].map(hundredth),
  };
}

/** The scores against the offset, and that of these two positions. */
function drawPlot({ band, line, most, zero, score, title }, scale, state, result, hidden) {
  const points = (offsets, scores) =>
    offsets.map((x, n) => scale.to(x, scores[n]).join()).join(" ");
  const { query, key } = state;
  set(band, { points: points(halves(-LAST_POSITION, LAST_POSITION), result.fromZero) });
  set(line, { points: points(halves(-query, LAST_POSITION - query), result.curve) });
  set(zero, { transform: `translate(0 ${hundredth(scale.zero)})` });
  write(most, String(scale.most));
  write(score, hidden ? "?" : show(result.score));
  const offset = typeset(key - query);
  tell(title, "score {score} at offset {offset}", { score, offset });
}

/** The law that a score depends on the offset alone, which holds for one scheme. */
function lawOf(state, { offsetGap }) {
  const { query: i, key: j } = state;
  const product = (m, n) =>
    isRotary(state) ? `(R${low(m)} q)·(R${low(n)} k)` : `(x + p${low(m)})·(x + p${low(n)})`;
  return verdict(product(i, j), product(0, j - i), offsetGap);
}

// ---- speak ---------------------------------------------------------------------------------------

const HINTS = {
  rotary: "Drag the query (round): the key comes along. Then drag the key (square) alone.",
  sinusoidal: "A hand is now x + p: its length changes too, and the line leaves the band.",
};

/** What the figure says in words: what the reader has just moved, or else how things stand. */
function speak(state, result, { motion, hidden }) {
  if (hidden) return "Angles and score are hidden until you have answered.";
  if (motion.lastMove === "both") return bothText(result, motion.scoreBeforeBoth);
  if (!isRotary(state)) return addedText(state, result);
  return motion.lastMove === "key" ? keyText(state, result) : anglesText(state, result);
}

/** What is said once both have moved, from a place where the score was `from`. */
function bothText({ score }, from) {
  const now = show(score);
  return Math.abs(from - score) > EXACT
    ? `Both have moved. The score was ${show(from)} and is ${now}.`
    : `Both have moved: every hand has turned, no angle has changed, and the score is still ${now}.`;
}

/** What is said where positions are added: how far the score is from that of a query at 0. */
function addedText({ query: i, key: j }, { score, scoreFromZero }) {
  const now = show(score);
  if (i === 0) {
    return `With the query at 0 and the key at ${j} the score is ${now}: here the line lies on the band.`;
  }
  return `The score is ${now}; with the query at 0 and the key at ${typeset(j - i)} it is ${
    show(scoreFromZero)
  }.`;
}

/** What is said once the key has turned alone: how fast it turns. */
function keyText({ pairs }, { speeds }) {
  const [first, last] = firstAndLast(speeds);
  return pairs > 1
    ? `Only the key turns; one position adds ${first} rad on the first face and ${last} rad on the last.`
    : `Only the key turns; one position adds ${first} rad.`;
}

/** What is said of hands that have turned in any other way: their angles, and the score. */
function anglesText({ pairs }, { angles, score }) {
  const [first, last] = firstAndLast(angles);
  const now = show(score);
  return pairs > 1
    ? `The angle between the hands is ${first} rad on the first face and ${last} rad on the last. The score, the sum of the cosines, is ${now}.`
    : `The angle between the hands is ${first} rad. The score, the sum of the cosines, is ${now}.`;
}

const firstAndLast = (numbers) => [numbers.at(0), numbers.at(-1)].map(short);

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
