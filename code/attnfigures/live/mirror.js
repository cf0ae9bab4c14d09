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

/**
 * What one of the models says: a table with its two answers, and the pairs that were tried as discs
 * and rings.
 */
function panel(name) {
  const cell = (look) => make("td", { class: look });
  const answers = range(2).map(() => [cell("live-mirror-number"), cell("live-mirror-said")]);
  const line = (title, cells) => make("tr", {}, make("th", { scope: "row" }, title), cells);
  const titles = ["P(cat first)", "it says"].map((text) => make("th", { scope: "col" }, text));
  const table = make(
    "table",
    { class: "live-table" },
    make("thead", {}, make("tr", {}, make("td"), titles)),
    make("tbody", {}, line(_("sentence"), answers[0]), line(_("mirror"), answers[1])),
  );
  const frame = make("rect", { class: "live-mirror-frame", y: 1, width: 16, height: 34 });
  const discs = range(MOST).map((x) =>
    [0, 1].map((y) => make("circle", { cx: 10 + 17 * x, cy: 10 + 16 * y }))
  );
  const svg = make(
    "svg",
    { viewBox: "0 0 344 36", class: "live-mirror-pairs", role: "img" },
    frame,
    discs,
  );
  const whole = make("b", { "data-shows": `${name}Both` });
  const count = make("b", { "data-shows": "count" });
  const score = make("div");
  const head = div("live-mirror-head", TITLES[name]);
  const put = (result, at, hidden) => {
    // at: the column of the pair on the tiles, or -1 if it was not tried
    const truth = [result.catFirst, !result.catFirst];
    const hits = result[`${name}Hits`];
    answers.forEach(([number, message], i) => {
      const p = result[name][i];
      const unknown = hidden || (i === 1 && at < 0);
      write(number, unknown ? "?" : show(p, 6));
      write(
        message,
        unknown
          ? "?"
          : p > 0.5
          ? truth[i] ? "cat first: right" : "cat first: wrong"
          : truth[i]
          ? "fish first: wrong"
          : "fish first: right",
      );
    });
    const look = (x, y) =>
      hidden || !hits[x] ? "live-mirror-none" : hits[x][y] ? "live-mirror-hit" : "live-mirror-miss";
    discs.forEach((pair, x) => pair.forEach((disc, y) => set(disc, { class: look(x, y) })));
    set(frame, { x: 2 + 17 * at, visibility: at < 0 || hidden ? "hidden" : "visible" });
    write(whole, hidden ? "?" : String(result[`${name}Both`]));
    write(count, String(result.count));
    tell(
      score,
      result.count === 1
        ? "Both right: {whole} of {count} pair tried"
        : "Both right: {whole} of {count} pairs tried",
      { whole, count },
    );
    set(svg, {
      "aria-label": hidden
        ? _("hidden")
        : `right are ${hits.map((pair) => pair.filter((hit) => hit).length).join(", ")} of 2`,
    });
  };
  return { element: div("live-mirror-panel", head, table, score, svg), put };
}

const columnOf = ({ sentence, tried }) => tried.findIndex((one) => both(one).includes(sentence));

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const tiles = tileRow(read, change, { swaps: SWAPS, shown: SHOWN });
  const turn = () => {
    const { sentence, tried } = read();
    const known = columnOf(read()) >= 0;
    tiles.reorder(range(N).reverse(), known ? {} : { tried: [...tried, sentence].slice(-MOST) });
  };
  const panels = MODELS.map(panel);
  const truth = make("p", { class: "live-mirror-truth" });
  const text = (i) => `${TRAINED[i]} steps`;
  const reach = { min: 0, max: TRAINED.length - 1, step: 1, text };
  const steps = slider("trained for", reach, (i) => change({ step: TRAINED[i] }));
  const answer = make("p", { class: "live-verdict" });
  el.append(
    make(
      "p",
      { class: "live-hint" },
      fillIn(
        "Drag the words, tap *sees* or *and* to change one into the other, then press Mirror.",
      ),
    ),
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
  for (const { put } of panels) put(result, at, hidden);
  steps.put(TRAINED.indexOf(state.step));
  write(
    answer,
    hidden ? "The answers are hidden until you have answered." : sentenceOf(result, at),
  );
}

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
