// Who sees, and who is seen? The outputs of one or two heads for four sentences, and the straight
// cuts between them.
const REACH = 3; // the plane of queries and keys goes from -3 to 3
const WORDS = { 1: _("cat"), "-1": _("dog") };

/** The values of the first and the third word. */
const SENTENCES = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const said = ([first, third], as) =>
  fillIn("{first} sees {third}", { first: as(WORDS[first], 0), third: as(WORDS[third], 2) });
const phrase = (sentence) => said(sentence, String).join("");

/**
 * The weights, the outputs of the four sentences, and for both questions the margin and the cut.
 */
function compute({ keys, queries, number }) {
  const weights = queries
    .slice(0, number)
    .map((q) => softmax(keys.map((k) => dot(q, k) / Math.SQRT2)));
  const outputs = SENTENCES.map(([first, third]) => weights.map((a) => dot(a, [first, 0, third])));
  const [first, , third] = transpose(weights);
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
function valid({ keys, queries, number }) {
  const point = (p) => p.length === 2 && p.every((x) => Math.abs(x) <= REACH);
  return (
    [...keys, ...queries].every(point) &&
    keys.length === 3 &&
    queries.length === 2 &&
    [1, 2].includes(number)
  );
}

const MIDDLE = 150; // the drawing of the outputs, 300 wide and high: where 0 is …
const UNIT = 108; // … and how long 1 is
const TINT = ["live-blue", "live-ink", "live-orange"];
const POSITIONS = ["1st word", _("sees"), "3rd word"];
const QUESTIONS = ["who sees?", "who is seen?"];
const INDEX = "₁₂";
const LINE = 22; // the height of a line of names
const NAME = 104; // how long a name is

/**
 * At which height the name of each dot stands: above those of one head, a line apart. Of those of
 * two heads the upper pair has its names above and the lower below; where the outer dot is in the
 * way of the inner name, that stands beyond.
 */
function namesApart(places, two) {
  if (!two) return places.map(([, y], i) => y - 14 + (i - 3) * LINE);
  const order = range(4).sort((a, b) => places[a][1] - places[b][1] || a - b);
  const rows = [];
  for (
    const [outer, inner, away, side] of [
      [order[0], order[1], -14, -1],
      [order[3], order[2], LINE, 1],
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
const cutLook = (i) => `live-cut ${TINT[2 * i]} ${i ? "live-dashed" : ""}`;

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const queries = buildQueries(first, read, change);
  const outputs = buildOutputs();
  const answers = QUESTIONS.map(buildAnswer);
  const second = button("", () => change({ number: 3 - read().number }));
  const hint = hintLine();
  const message = messageLine();
  el.append(
    hint,
    div(
      "live-planes",
      queries.plane.element,
      div("live-plane", div("live-title", "Outputs"), outputs.svg),
    ),
    div("live-controls", second, button("Back to start", () => change(first))),
    div(
      "live-answers",
      "Can one straight cut tell …",
      answers.map(({ element }) => element),
    ),
    message,
  );
  return { queries, outputs, answers, second, hint, message };
}

/** The plane of queries and keys, with the weights of both heads below the name of each key. */
function buildQueries({ keys }, read, change) {
  const left = plane("Queries, keys, weights", REACH, 20);
  const shares = [0, 1].map((h) =>
    range(3).map((j) => make("tspan", { "data-shows": `weights ${h} ${j}` }))
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
      line(`live-ray ${TINT[i]}`, MIDDLE, MIDDLE, x, y),
      make("g", { class: `live-end ${TINT[i]}` }, make("circle", { cx: x, cy: y, r: 5 })),
      text(at, nameY + (below ? 16 : -28), POSITIONS[i], middle),
      text(at, nameY + (below ? 33 : -11), weights, middle),
    );
  };
  left.svg.append(...rays, ...keys.map(key)); // the rays run behind the names
  const query = (ray, h) => {
    const put = (q) => change({ queries: read().queries.map((old, i) => (i === h ? q : old)) });
    const look = badge(`q${INDEX[h]}`, h);
    const move = left.pointHandle(`query ${h + 1}`, "live-ink", look, put);
    return { ray, move, group: left.svg.lastChild };
  };
  return { plane: left, shares, heads: rays.map(query) };
}

/** The outputs of the four sentences, and the cuts between them. */
function buildOutputs() {
  const upright = [line("live-axis", MIDDLE, 0, MIDDLE, 300), text(MIDDLE + 6, -5, "head 2 ↑")];
  const cuts = QUESTIONS.map((_, i) => line(cutLook(i)));
  const colour = (words, at) => make("tspan", { class: `live-toned ${TINT[at]}` }, words);
  const dots = SENTENCES.map(() => make("circle", { class: "live-sentence", r: 6 }));
  const leads = SENTENCES.map(() => line("live-axis"));
  const names = SENTENCES.map((sentence) =>
    text(0, 0, said(sentence, colour), { "text-anchor": "middle" })
  );
  const svg = make(
    "svg",
    { viewBox: "-20 -20 340 340", role: "img", "aria-label": "Outputs of four sentences" },
    line("live-axis", 0, MIDDLE, 300, MIDDLE),
    upright[0],
    cuts,
    text(316, 314, "head 1 →", { "text-anchor": "end" }),
    upright[1],
    leads,
    dots,
    names,
  );
  return { svg, upright, cuts, dots, leads, names };
}

/** A question, and whether a cut answers it. */
function buildAnswer(question, i) {
  const margin = make("span", { "data-shows": `margins ${i}` });
  const verb = make("span");
  const look = { viewBox: "0 0 30 10", class: "live-sample", "aria-hidden": "true" };
  const sample = make("svg", look, line(cutLook(i), 0, 5, 30, 5));
  const element = make("div", {}, sample, make("strong", {}, ` ${question} `), verb);
  return { element, verb, margin };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ queries, outputs, answers, second, hint }, state, result, { hidden }) {
  const two = state.number === 2;
  drawQueries(queries, state, result, hidden);
  for (const part of outputs.upright) set(part, seen(two));
  drawOutputs(outputs, result, two, hidden);
  result.cuts.forEach((cut, i) => {
    drawCut(outputs.cuts[i], cut, result.margins[i], hidden);
    drawAnswer(answers[i], cut, result.margins[i], hidden);
  });
  write(second, two ? "Use one head" : "Use two heads");
  write(
    hint,
    two
      ? "Drag q₁ and q₂. Where do you lose a cut?"
      : "Drag q₁. Can one head answer both questions?",
  );
}

function drawQueries({ plane: { svg, px }, shares, heads }, { queries, number }, result, hidden) {
  heads.forEach(({ ray, move, group }, h) => {
    const [x2, y2] = px(queries[h]);
    const there = h < number;
    set(ray, { x2, y2, ...seen(there) });
    move(queries[h]);
    if (!there) group.remove();
    else if (group.parentNode !== svg) svg.append(group);
    shares[h].forEach((share, j) => {
      set(share, { "data-shows": there ? `weights ${h} ${j}` : null, dx: h ? 8 : null });
      const weight = hidden ? "?" : show(result.weights[h]?.[j] ?? 0);
      write(share, there ? weight : "");
    });
  });
}

/** The dots of the sentences, and a line from each to its name. */
function drawOutputs({ dots, names, leads }, { outputs }, two, hidden) {
  const places = outputs.map(([x, y = 0]) => [MIDDLE + UNIT * x, MIDDLE - UNIT * y]);
  const rows = namesApart(places, two);
  const visible = seen(!hidden);
  places.forEach(([x, y], i) => {
    const name = clamp(x, 34, 266);
    const [x1, y1, x2] = [x, y, name].map((c) => c.toFixed(2));
    set(dots[i], { cx: x1, cy: y1, ...visible });
    set(names[i], { x: x2, y: rows[i].toFixed(2), ...visible });
    set(leads[i], { x1, y1, x2, y2: (rows[i] - 5).toFixed(2), ...visible });
  });
}

function drawCut(element, cut, margin, hidden) {
  const [right = 0, up = 0] = cut ?? [];
  const [x, y] = cut ? [right, up].map((c) => Number(((220 * c) / margin).toFixed(2))) : [0, 0];
  const ends = { x1: MIDDLE - y, y1: MIDDLE - x, x2: MIDDLE + y, y2: MIDDLE + x };
  set(element, { ...ends, ...seen(cut && !hidden) });
}

function drawAnswer({ verb, margin: number }, cut, margin, hidden) {
  const answer = cut ? "yes, margin {margin}" : "no, margin {margin}";
  const size = margin > 0 && margin < 5e-3 ? tiny(margin) : show(margin);
  tell(verb, hidden ? "{margin}" : answer, { margin: number });
  write(number, hidden ? "?" : size);
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak({ number }, { cuts, margins }, { hidden }) {
  if (hidden) return "The outputs are hidden until you have answered.";
  if (cuts[0] && cuts[1]) return "Both questions can be answered.";
  const two = number === 2;
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
