// Who sees, and who is seen? The outputs of one head for four sentences, the second head that lifts
// them off their line, and the straight cuts between them.
const REACH = 3; // the plane of queries and keys goes from -3 to 3
const WORDS = { 1: _("cat"), "-1": _("dog") };
const TINT = { 1: "live-orange", "-1": "live-sky" };

/** The values of the first and the third word. */
const SENTENCES = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const said = ([first, third], as) =>
  fillIn("{first} sees {third}", { first: as(first), third: as(third) });
const phrase = (sentence) => said(sentence, (word) => WORDS[word]).join("");

/**
 * The weights, the outputs of the four sentences, and for both questions the margin and the cut.
 */
function compute({ keys, queries, second }) {
  const factors = [1, second];
  const weights = queries.map((q) => softmax(keys.map((k) => dot(q, k) / Math.SQRT2)));
  const mixed = weights.map((a, h) => a.map((x) => factors[h] * x));
  const outputs = SENTENCES.map(([first, third]) => mixed.map((a) => dot(a, [first, 0, third])));
  const [first, , third] = transpose(mixed);
  const margins = [0, 0];
  const cuts = [null, null];
  [
    [first, third],
    [third, first],
  ].forEach(([own, other], i) => {
    const t = clamp(-dot(own, other) / dot(other, other), -1, 1);
    const nearest = own.map((x, h) => x + t * other[h]);
    const margin = Math.sqrt(dot(nearest, nearest));
    if (margin > EXACT) [margins[i], cuts[i]] = [margin, nearest];
  });
  return { weights, outputs, margins, cuts };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ keys, queries, second }) {
  const point = (p) => p.length === 2 && p.every((x) => Math.abs(x) <= REACH);
  return (
    [...keys, ...queries].every(point) &&
    keys.length === 3 &&
    queries.length === 2 &&
    second >= 0 &&
    second <= 1
  );
}

const MIDDLE = 150; // the drawing of the outputs, 300 wide and high: where 0 is …
const UNIT = 108; // … and how long 1 is
const HAIR = 2 / UNIT; // a margin of fewer pixels is not seen: the dots lie on each other
const POSITIONS = ["1st word", _("sees"), "3rd word"];
const QUESTIONS = ["who sees?", "who is seen?"];
const INDEX = "₁₂";
const LINE = 22; // the height of a line of names
const NAME = 124; // how long a name is, on a phone
const APART = 24; // how far the letters of the queries are apart, at least

/**
 * At which height the name of each dot stands: above the two that the second head lifts most, and
 * below the others; where the outer dot is in the way of the inner name, that stands beyond.
 */
function namesApart(places, lifts) {
  const order = range(4).sort((a, b) => lifts[b] - lifts[a] || a - b);
  const rows = [];
  for (
    const [outer, inner, away, side] of [
      [order[0], order[1], -16, -1],
      [order[3], order[2], LINE + 4, 1],
    ]
  ) {
    const [[x, y], [inX, inY]] = [places[outer], places[inner]];
    const close = Math.abs(x - inX) < NAME && Math.abs(y - inY) < LINE + 14;
    rows[outer] = y + away;
    rows[inner] = close ? rows[outer] + side * LINE : inY + away;
  }
  return rows;
}

const text = (x, y, words, look = {}) =>
  make("text", { class: "live-label live-caption", x, y, ...look }, words);
const line = (look, x1 = null, y1 = null, x2 = null, y2 = null) =>
  make("line", { class: look, x1, y1, x2, y2 });
const seen = (yes) => ({ visibility: yes ? "visible" : "hidden" });
const cutLook = (i) => `live-cut ${i ? "live-dashed" : ""}`;
const colour = (word) => make("tspan", { class: `live-toned ${TINT[word]}` }, WORDS[word]);

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const queries = buildQueries(first, read, change);
  const outputs = buildOutputs(read, change);
  const answers = QUESTIONS.map(buildAnswer);
  const message = messageLine();
  el.append(
    hintLine(
      "Which question can one head answer? Drag q₁. Then lift a dot off the line: that is a second head.",
    ),
    div(
      "live-planes",
      queries.plane.element,
      div(
        "live-plane",
        div("live-title", "Outputs and cuts"),
        outputs.svg,
      ),
    ),
    div("live-answers", answers.map(({ element }) => element)),
    message,
    div("live-controls", button("Back to start", () => change(first))),
  );
  return { queries, outputs, answers, message };
}

/**
 * The plane of queries and keys: a disc for each weight of the first head and a ring for each of the
 * second, and their numbers below the name of the key.
 */
function buildQueries({ keys }, read, change) {
  const left = plane("Queries, keys, weights", REACH, 20);
  const shares = [0, 1].map((h) =>
    range(3).map((j) => make("tspan", { "data-shows": `weights ${h} ${j}` }))
  );
  const areas = ["live-weight", "live-heads-ring"].map((look) =>
    keys.map((place) => {
      const [cx, cy] = left.px(place);
      return make("circle", { class: `${look} live-ink`, cx, cy });
    })
  );
  const rays = [0, 1].map(() => line("live-ray live-ink", MIDDLE, MIDDLE));
  const middle = { "text-anchor": "middle" };
  const key = (place, i) => {
    const [x, y] = left.px(place);
    const [nameX, nameY] = left.px(place.map((c) => clamp(c * 1.15, -2.6, 2.6)));
    const at = clamp(nameX, 48, 252);
    const below = place[1] < 0;
    const weights = shares.map((share) => share[i]);
    return make(
      "g",
      {},
      line("live-ray live-heads-key", MIDDLE, MIDDLE, x, y),
      make("circle", { class: "live-heads-end", cx: x, cy: y, r: 4 }),
      text(at, nameY + (below ? 22 : -46), POSITIONS[i], middle),
      text(at, nameY + (below ? 39 : -29), weights, middle),
    );
  };
  left.svg.append(...areas.flat(), ...rays, ...keys.map(key)); // the rays run behind the names
  const query = (ray, h) => {
    const put = (q) => change({ queries: read().queries.map((old, i) => (i === h ? q : old)) });
    const look = badge(`q${INDEX[h]}`, h);
    const move = left.pointHandle(`query ${h + 1}`, "live-ink", look, put);
    return { ray, move, group: left.svg.lastChild };
  };
  return { plane: left, shares, areas, heads: rays.map(query) };
}

/**
 * The outputs of the four sentences, and the cuts between them, each in a band that is as wide as the
 * outputs leave it, in the hues of what is on its sides. A dot that is dragged up or down draws in the
 * second head; the one with a grip takes the keys, too.
 */
function buildOutputs(read, change) {
  const upright = [line("live-axis", MIDDLE, 0, MIDDLE, 300), text(MIDDLE + 6, -5, "head 2 ↑")];
  const bands = QUESTIONS.map(() => [1, -1].map((word) => line(`live-heads-band ${TINT[word]}`)));
  const cuts = QUESTIONS.map((_x, i) => line(cutLook(i)));
  const middle = { "text-anchor": "middle" };
  const leads = SENTENCES.map(() => line("live-axis"));
  const names = SENTENCES.map((sentence) => text(0, 0, said(sentence, colour), middle));
  const dots = SENTENCES.map(dotOf);
  const svg = make(
    "svg",
    { viewBox: "-20 -20 340 340", role: "group", "aria-label": "Outputs of four sentences" },
    bands.flat(),
    line("live-axis", 0, MIDDLE, 300, MIDDLE),
    upright[0],
    cuts,
    text(316, 314, "head 1 →", { "text-anchor": "end" }),
    upright[1],
    leads,
    names,
    dots,
  );
  const put = (second) => change({ second: clamp(hundredth(second), 0, 1) });
  const liftTo = (i) => (_x, y) => {
    const whole = compute({ ...read(), second: 1 }).outputs[i][1];
    if (Math.abs(whole) < 0.05) return; // the second head says nothing of this sentence
    put((MIDDLE - y) / UNIT / whole);
  };
  dots.forEach((dot, i) => draggable(dot, svg, liftTo(i)));
  const step = (dx, dy) => put(read().second + (dx + dy) / 20);
  const move = handle(svg, "second head", "live-heads-lift", liftMark(), liftTo(0), step);
  return { svg, upright, bands, cuts, dots, leads, names, move };
}

/** Arrows up and down in a disc, beside a dot. */
const liftMark = () =>
  make(
    "g",
    {},
    make("circle", { cx: 24, r: 9 }),
    make("text", { x: 24, y: 5, "text-anchor": "middle" }, "↕"),
  );

/** The dot of a sentence: its halves are the outer words, filled for cat and empty for dog. */
function dotOf(sentence) {
  const halves = sentence.map((word, i) =>
    make("path", {
      class: `live-heads-half ${TINT[word]}`,
      d: `M0 -9a9 9 0 0 ${i} 0 18z`,
      "fill-opacity": word > 0 ? 1 : 0,
    })
  );
  const ground = make("circle", { class: "live-heads-ground", r: 9 });
  return make(
    "g",
    { class: "live-heads-dot" },
    make("circle", { class: "live-target", r: 16 }),
    ground,
    halves,
  );
}

/** A question, and whether a cut answers it. */
function buildAnswer(question, i) {
  const sign = make("span", { class: "live-heads-sign" });
  const verb = make("span");
  const look = { viewBox: "0 0 30 10", class: "live-sample", "aria-hidden": "true" };
  const sample = make("svg", look, line(cutLook(i), 0, 5, 30, 5));
  const element = div("live-heads-goal", sign, make("strong", {}, question), sample, verb);
  return { element, sign, verb };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ queries, outputs, answers }, state, result, { hidden }) {
  const two = state.second > 0;
  drawQueries(queries, state, result, hidden);
  for (const part of outputs.upright) set(part, seen(two));
  drawOutputs(outputs, state, result, hidden);
  result.cuts.forEach((cut, i) => {
    const margin = result.margins[i];
    drawCut(outputs, i, margin < HAIR ? null : cut, margin, hidden);
    drawAnswer(answers[i], margin, hidden);
  });
}

function drawQueries(
  { plane: { px }, shares, areas, heads },
  { queries, second },
  result,
  hidden,
) {
  const [one, other] = queries.map(px);
  heads.forEach(({ ray, move, group }, h) => {
    const [x2, y2] = px(queries[h]);
    const there = !h || second > 0;
    set(ray, { x2, y2, ...seen(there) });
    move(queries[h]);
    set(group, { ...seen(there), style: h ? `translate: ${besides(one, other)}` : null });
    shares[h].forEach((share, j) => {
      set(share, { "data-shows": there ? `weights ${h} ${j}` : null, dx: h ? 8 : null });
      const weight = hidden ? "?" : show(result.weights[h][j]);
      write(share, there ? weight : "");
      const r = hundredth(28 * Math.sqrt(result.weights[h][j]));
      set(areas[h][j], { r, ...seen(there && !hidden) });
    });
  });
}

/** How far the letter of a query is moved off that of another, so as not to cover it. */
function besides([x, y], [otherX, otherY]) {
  const far = Math.hypot(otherX - x, otherY - y);
  const angle = far ? Math.atan2(otherY - y, otherX - x) : 0;
  const missing = Math.max(0, APART - far);
  return [Math.cos, Math.sin].map((turn) => `${hundredth(missing * turn(angle))}px`).join(" ");
}

/** The dots of the sentences, and a line from each to its name. */
function drawOutputs({ dots, names, leads, move }, state, { outputs }, hidden) {
  const places = outputs.map(([x, y]) => [MIDDLE + UNIT * x, MIDDLE - UNIT * y]);
  const rows = namesApart(places, compute({ ...state, second: 1 }).outputs.map(([, y]) => y));
  const visible = seen(!hidden);
  places.forEach(([x, y], i) => {
    const name = clamp(x, 42, 258);
    const [x1, y1, x2] = [x, y, name].map((c) => c.toFixed(2));
    set(dots[i], { transform: `translate(${x1} ${y1})`, ...visible });
    set(names[i], { x: x2, y: rows[i].toFixed(2), ...visible });
    set(leads[i], { x1, y1, x2, y2: (rows[i] - 5).toFixed(2), ...visible });
  });
  move(places[0], `${Math.round(100 * state.second)} %`, { now: state.second, min: 0, max: 1 });
  set(move.element, visible);
}

/** A cut, and its band: half of it towards the cats, and half towards the dogs. */
function drawCut({ cuts, bands }, i, cut, margin, hidden) {
  const visible = seen(cut && !hidden);
  const [right, up] = cut ? cut.map((c) => c / margin) : [0, 0];
  const half = UNIT * margin;
  const along = (away) => {
    const [x, y] = [MIDDLE + away * right, MIDDLE - away * up];
    const ends = { x1: x - 300 * up, y1: y - 300 * right, x2: x + 300 * up, y2: y + 300 * right };
    return Object.fromEntries(Object.entries(ends).map(([name, c]) => [name, hundredth(c)]));
  };
  set(cuts[i], { ...along(0), ...visible });
  bands[i].forEach((band, k) => {
    const away = k ? -half / 2 : half / 2;
    set(band, { ...along(away), ...visible, "stroke-width": hundredth(half) });
  });
}

function drawAnswer({ element, sign, verb }, margin, hidden) {
  const answered = margin >= HAIR && !hidden;
  write(sign, hidden ? "?" : answered ? "✓" : "✗");
  write(verb, hidden ? "" : separates(margin));
  element.toggleAttribute("data-answered", answered);
}

function separates(margin) {
  if (!margin) return "no line separates cats from dogs";
  return margin < HAIR ? "cats almost coincide with dogs" : "one line separates cats from dogs";
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak({ second }, { cuts, margins }, { hidden }) {
  if (hidden) return "The outputs are hidden until you have answered.";
  const two = second > 0;
  if (margins.some((margin) => margin && margin < HAIR)) {
    return two
      ? "The outputs almost lie on one line: some cut is too narrow to see."
      : "The outer words have almost the same weight: the cut is too narrow to see.";
  }
  if (cuts[0] && cuts[1]) {
    return "Off their line, the dots can be cut both ways: two heads answer both questions.";
  }
  if (!cuts[0] && !cuts[1]) return alikeText(two);
  if (margins[0] > 0) {
    return two
      ? "Both heads mix the outer words in the same ratio: a cut tells the first word only."
      : "A cut tells the first word only.";
  }
  return two
    ? "Both heads mix the outer words in the same ratio: a cut tells the third word only."
    : "A cut tells the third word only.";
}

/** What is said where no cut tells anything. */
function alikeText(two) {
  const [one, other] = SENTENCES.slice(1, 3).map(phrase);
  return two
    ? `Both heads mix the outer words in the same ratio: “${one}” and “${other}” have the same output.`
    : `“${one}” and “${other}” have the same output.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
