// Break the law: two trained encoders, with positions and without, answer a sentence and its
// mirror.
const MOST = 20;
const TRAINED = [0, 10, 25, 50, 100];
const TITLES = { blind: "Without positions", seeing: "With positions" };
const MODELS = Object.keys(TITLES);

/** P(cat first) that a model gives to a sentence. */
const probability = memoize((name, step, sentence) =>
  sigmoid(
    forward(weightsOf(name === "seeing", step), [sentence], name === "seeing" ? 1 : 0).odds[0],
  )
);

const reflected = (sentence) => sentence.split(" ").reverse().join(" ");
const both = (sentence) => [sentence, reflected(sentence)];

// ---- compute -------------------------------------------------------------------------------------

/** P(cat first) for the sentence and its mirror, and what is right of all that was tried. */
function compute({ sentence, step, tried }) {
  const result = { catFirst: catFirst(sentence), count: tried.length };
  for (const name of MODELS) {
    const p = both(sentence).map((text) => probability(name, step, text));
    const hits = tried.map((one) =>
      both(one).map((text) => probability(name, step, text) > 0.5 === catFirst(text))
    );
    Object.assign(result, { [name]: p, [`${name}Gap`]: Math.abs(p[0] - p[1]) });
    Object.assign(result, {
      [`${name}Hits`]: hits,
      [`${name}Both`]: hits.filter(([a, b]) => a && b).length,
    });
  }
  return result;
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ sentence, step, tried }) {
  const pairs = new Set(tried.map((text) => both(text).sort().join()));
  return (
    [sentence, ...tried].every(isSentence) &&
    TRAINED.includes(step) &&
    tried.length <= MOST &&
    pairs.size === tried.length
  );
}

// ---- build ---------------------------------------------------------------------------------------

/**
 * What one of the models says: a table with its two answers, and the pairs that were tried as discs
 * and rings.
 */
function buildPanel(name) {
  const answers = buildAnswers();
  const pairs = buildPairs();
  const whole = make("b", { "data-shows": `${name}Both` });
  const count = make("b", { "data-shows": "count" });
  const score = make("div");
  const head = div("live-mirror-head", TITLES[name]);
  const element = div("live-mirror-panel", head, answers.table, score, pairs.svg);
  return { name, element, answers: answers.cells, pairs, score, whole, count };
}

/** The table of the two answers: a number and what it means, of the sentence and of its mirror. */
function buildAnswers() {
  const cell = (look) => make("td", { class: look });
  const cells = range(2).map(() => [cell("live-mirror-number"), cell("live-mirror-said")]);
  const row = (title, cells) => make("tr", {}, make("th", { scope: "row" }, title), cells);
  const titles = ["P(cat first)", "it says"].map((text) => make("th", { scope: "col" }, text));
  const table = make(
    "table",
    { class: "live-table" },
    make("thead", {}, make("tr", {}, make("td"), titles)),
    make("tbody", {}, row(_("sentence"), cells[0]), row(_("mirror"), cells[1])),
  );
  return { table, cells };
}

/** A column of two discs for each pair that can be tried, and a frame for the pair on the tiles. */
function buildPairs() {
  const frame = make("rect", { class: "live-mirror-frame", y: 1, width: 16, height: 34 });
  const discs = range(MOST).map((x) =>
    [0, 1].map((y) => make("circle", { cx: 10 + 17 * x, cy: 10 + 16 * y }))
  );
  const look = { viewBox: "0 0 344 36", class: "live-mirror-pairs", role: "img" };
  return { svg: make("svg", look, frame, discs), frame, discs };
}

/** The column of the pair on the tiles, or -1 if it was not tried. */
const columnOf = ({ sentence, tried }) => tried.findIndex((one) => both(one).includes(sentence));

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const tiles = tileRow(read, change, { swaps: SWAPS, shown: SHOWN });
  const turn = () => {
    const { sentence, tried } = read();
    const known = columnOf(read()) >= 0;
    tiles.reorder(range(N).reverse(), known ? {} : { tried: [...tried, sentence].slice(-MOST) });
  };
  const panels = MODELS.map(buildPanel);
  const truth = make("p", { class: "live-mirror-truth" });
  const text = (i) => `${TRAINED[i]} steps`;
  const reach = { min: 0, max: TRAINED.length - 1, step: 1, text };
  const steps = slider("trained for", reach, (i) => change({ step: TRAINED[i] }));
  const answer = messageLine();
  el.append(
    hintLine(fillIn(
      "Drag the words, tap *sees* or *and* to change one into the other, then press Mirror.",
    )),
    tiles.row,
    div("live-mirror-row", button("Mirror", turn), truth),
    div("live-mirror-panels", panels.map(({ element }) => element)),
    div("live-controls", steps.element, button("Back to start", () => change(first))),
    make(
      "p",
      {},
      "A column is a pair that you tried (the last 20), with a disc for a right answer and a ring for a wrong one.",
    ),
    answer,
  );
  return { tiles, panels, truth, steps, answer };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ tiles, panels, truth, steps, answer }, state, result, { hidden }) {
  const at = columnOf(state);
  tiles.put(state.sentence.split(" "));
  write(
    truth,
    result.catFirst
      ? "Truth: cat first; mirrored: fish first."
      : "Truth: fish first; mirrored: cat first.",
  );
  for (const panel of panels) drawPanel(panel, result, at, hidden);
  steps.put(TRAINED.indexOf(state.step));
  write(
    answer,
    hidden ? "The answers are hidden until you have answered." : sentenceOf(result, at),
  );
}

/** What a model answers, and how many of the pairs that were tried it has right. */
function drawPanel({ name, answers, pairs, score, whole, count }, result, at, hidden) {
  const hits = result[`${name}Hits`];
  const truth = [result.catFirst, !result.catFirst];
  answers.forEach((cells, i) => {
    const isKnown = !hidden && (i === 0 || at >= 0);
    drawAnswer(cells, result[name][i], truth[i], isKnown);
  });
  drawPairs(pairs, hits, at, hidden);
  write(whole, hidden ? "?" : String(result[`${name}Both`]));
  write(count, String(result.count));
  tell(
    score,
    result.count === 1
      ? "Both right: {whole} of {count} pair tried"
      : "Both right: {whole} of {count} pairs tried",
    { whole, count },
  );
}

/** One answer: P(cat first), and whether what it says is true. */
function drawAnswer([number, message], p, catFirst, isKnown) {
  write(number, isKnown ? show(p, 6) : "?");
  write(message, isKnown ? verdictOf(p > 0.5, catFirst) : "?");
}

/** What an answer says, and whether that is right. */
function verdictOf(saysCat, catFirst) {
  if (saysCat) return catFirst ? "cat first: right" : "cat first: wrong";
  return catFirst ? "fish first: wrong" : "fish first: right";
}

/** A disc for each right answer, a ring for each wrong one. */
function drawPairs({ svg, frame, discs }, hits, at, hidden) {
  const look = (x, y) => {
    if (hidden || !hits[x]) return "live-mirror-none";
    return hits[x][y] ? "live-mirror-hit" : "live-mirror-miss";
  };
  discs.forEach((pair, x) => pair.forEach((disc, y) => set(disc, { class: look(x, y) })));
  set(frame, { x: 2 + 17 * at, visibility: at < 0 || hidden ? "hidden" : "visible" });
  const right = hits.map((pair) => pair.filter((hit) => hit).length).join(", ");
  set(svg, { "aria-label": hidden ? _("hidden") : `right are ${right} of 2` });
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says aloud: the words of the sentence, and what it says of the answers. */
const speak = ({ sentence }, _result, { answer }) =>
  `${shownWords(sentence).join(" ")}. ${answer.textContent}`;

/** What the figure says in words. */
function sentenceOf(result, at) {
  if (at < 0) {
    return "Press Mirror to read this sentence backwards and to put the pair on the scoreboard.";
  }
  const [blind, seeing] = MODELS.map(
    (name) => result[`${name}Hits`][at].filter((hit) => hit).length,
  );
  return `Right in this pair: ${blind} of 2 without positions, ${seeing} of 2 with positions.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
