// Switch heads off: six heads of a trained encoder, what each looks at, and how many answers
// survive without it.
const STEP = 100;
const INSTEAD = { alike: 1 / N, nothing: 0 };
const HEADS = range(LAYERS * H);
const TRIED = 3; // so many heads a reader tries before all can be tried at once
const SENTENCES = memoize(() => {
  const every = range(N).reduce(
    (texts) => texts.flatMap((text) => WORDS.map((word) => [...text, word])),
    [[]],
  );
  return every.map((words) => words.join(" ")).filter(isSentence);
});

/**
 * The maps of all heads and the log-odds of "cat first" for some sentences, with some heads off.
 */
function answer(sentences, heads, instead) {
  const off = new Float64Array(N * N).fill(INSTEAD[instead]);
  return forward(weightsOf(true, STEP), sentences, 1, (l, r) => (heads[H * l + r] ? null : off));
}

/** How many of the 480 sentences are answered correctly. */
const rightOf = memoize((instead, ...heads) => {
  const { odds } = answer(SENTENCES(), heads, instead);
  return odds.filter((x, s) => x > 0 === catFirst(SENTENCES()[s])).length;
});

/**
 * The maps of all heads for the sentence, P(cat first), and how many of the 480 sentences are
 * right.
 */
function compute({ sentence, heads, instead }) {
  const { maps: all, odds } = answer([sentence], heads, instead);
  const at = sentence.split(" ").indexOf("fish");
  const maps = all.map(([A]) => range(N).map((i) => [...A.slice(N * i, N * i + N)]));
  const p = sigmoid(odds[0]);
  const onFish = maps.map((A) => mean(A.map((row) => row[at])));
  return { p, catFirst: catFirst(sentence), maps, onFish, right: rightOf(instead, ...heads) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ sentence, heads, instead }) =>
  isSentence(sentence) &&
  Object.hasOwn(INSTEAD, instead) &&
  heads.length === HEADS.length &&
  heads.every((x) => x === 0 || x === 1);

/**
 * One head: a button that switches it, its map, its weight on the fish, and how many answers were
 * right when this head alone was off, in both ways, once that has been tried.
 */
function head(k, flip) {
  const notes = Object.fromEntries(Object.keys(INSTEAD).map((way) => [way, note(way)]));
  const press = button("", flip);
  const weight = make("b", { "data-shows": `onFish ${k}` });
  const layer = Math.floor(k / H) + 1;
  const map = mapOfHead();
  const element = div(
    "live-ablation-head",
    press,
    map.svg,
    make("div", {}, fillIn("on fish {weight}", { weight })),
    div("live-ablation-notes", Object.values(notes).map((one) => one.element)),
  );
  const put = (A, words, on, share) => {
    const name = on ? `head ${(k % H) + 1} on` : `head ${(k % H) + 1} off`;
    write(press, name);
    set(press, { "aria-pressed": on === 1, "aria-label": `${name}, layer ${layer}` });
    map.put(A, words, on);
    write(weight, show(share));
  };
  return { element, put, note: (way, right) => notes[way].put(right) };
}

const NOTES = { alike: "alike: {alike}", nothing: "nothing: {nothing}" };

/** How many answers are right without a head, once it is known: a bar, of which half is what guessing gives. */
function note(way) {
  const number = make("b", {}, "?");
  const bar = make("span", { class: "live-ablation-right" });
  const line = make("div", { class: "live-ablation-bar", "aria-hidden": "true" }, bar);
  const element = make("div", {}, fillIn(NOTES[way], { [way]: number }), line);
  const put = (right) => {
    write(number, String(right));
    fill(bar, right);
  };
  return { element, put };
}

/** Fills a bar with so many right answers; the rest is what was lost. */
function fill(bar, right) {
  set(bar, { style: `width: ${thousandth(right / 4.8)}%` });
  bar.parentElement.classList.toggle("live-ablation-less", right < 480);
}

/** The map of a head, with the first letters of the words at its sides. */
function mapOfHead() {
  const letter = (x, y) => {
    const look = "live-label live-ablation-letter";
    return make("text", { class: look, "text-anchor": "middle", x, y });
  };
  const letters = [
    range(N).map((i) => letter(9, 34 + 20 * i)),
    range(N).map((i) => letter(30 + 20 * i, 13)),
  ];
  const cells = range(N * N).map((c) => {
    const place = { x: 20 + 20 * (c % N), y: 20 + 20 * Math.floor(c / N) };
    return make("rect", { class: "live-ablation-cell", ...place, width: 19, height: 19 });
  });
  const frame = make("rect", { class: "live-ablation-fish", y: 19, width: 21, height: 121 });
  const look = { viewBox: "0 0 142 142", role: "img", class: "live-ablation-map" };
  const svg = make("svg", look, cells, frame, letters);
  const put = (A, words, on) => {
    const shown = words.map((word) => SHOWN[word]);
    for (const side of letters) side.forEach((one, i) => write(one, shown[i][0]));
    A.flat().forEach((x, c) => set(cells[c], { "fill-opacity": thousandth(x) }));
    set(frame, { x: 19 + 20 * words.indexOf("fish") });
    const most = A.map((row, i) => `${shown[i]} at ${shown[row.indexOf(Math.max(...row))]}`);
    set(svg, { "aria-label": on ? `Most weight: ${most.join(", ")}` : _("off") });
  };
  return { svg, put };
}

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const flip = (k) => change({ heads: read().heads.map((on, l) => (l === k ? 1 - on : on)) });
  const tiles = tileRow(read, change, { swaps: SWAPS, shown: SHOWN });
  const panels = HEADS.map((k) => head(k, () => flip(k)));
  const tryAll = button("Try every head", () => tryOneByOne(panels));
  tryAll.toggleAttribute("data-away", true); // it would spoil the search
  const ways = { alike: "looks at all words alike", nothing: "adds nothing" };
  const instead = choice("a head that is off", ways, (way) => change({ instead: way }));
  const p = make("b", { "data-shows": "p" });
  const says = make("p");
  const right = make("b", { "data-shows": "right" });
  const bar = make("span", { class: "live-ablation-right" });
  const tally = messageLine();
  const found = make(
    "mark",
    { class: "live-found" },
    "You have found it! Now let it add nothing instead.",
  );
  const layer = (l) =>
    make(
      "div",
      { class: "live-ablation-layer", role: "group", "aria-label": `Layer ${l + 1}` },
      div("live-title", `Layer ${l + 1}`),
      panels.slice(H * l, H * l + H).map(({ element }) => element),
    );
  el.append(
    hintLine(
      "Which head can the model not do without? Switch off the one that you think it is.",
    ),
    tiles.row,
    says,
    div("live-ablation-rows", range(LAYERS).map(layer)),
    div("live-controls", instead.element, tryAll, button("Back to start", () => change(first))),
    make("div", { class: "live-ablation-bar", "aria-hidden": "true" }, bar),
    tally,
  );
  const tried = new Set();
  return { tiles, panels, tried, tryAll, instead, p, says, right, bar, tally, found };
}

/** Switches off every head alone, in both ways, one after the other, and notes what that costs. */
function tryOneByOne(panels) {
  const trials = HEADS.flatMap((k) => Object.keys(INSTEAD).map((way) => [k, way]));
  const next = () => {
    const [k, way] = trials.shift();
    panels[k].note(way, rightOf(way, ...HEADS.map((l) => Number(l !== k))));
    if (trials.length) setTimeout(next, calm() ? 0 : 80);
  };
  next();
}

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  const { tiles, panels, tried, tryAll, instead, p, says, right, bar, tally, found } = parts;
  const words = state.sentence.split(" ");
  instead.put(state.instead);
  tiles.put(words);
  panels.forEach(({ put }, k) => put(result.maps[k], words, state.heads[k], result.onFish[k]));
  write(p, hidden ? "?" : show(result.p, 3));
  tell(says, answerText(result, hidden), {
    p,
    answer: result.p > 0.5 ? "cat first" : "fish first",
  });
  const off = HEADS.filter((k) => !state.heads[k]);
  const isTrial = !hidden && off.length === 1;
  if (isTrial) {
    panels[off[0]].note(state.instead, result.right);
    tried.add(off[0]);
    tryAll.toggleAttribute("data-away", tried.size < TRIED);
  }
  write(right, hidden ? "?" : String(result.right));
  if (!hidden) fill(bar, result.right);
  tell(tally, tallyText(result, hidden), { right });
  if (isTrial && isGuess(result)) tally.append(" ", found);
}

/** What the model says of the sentence. */
function answerText({ p, catFirst: truth }, hidden) {
  if (hidden) return "P(cat first) = {p}";
  return p > 0.5 === truth
    ? "P(cat first) = {p}: {answer}, which is right"
    : "P(cat first) = {p}: {answer}, which is wrong";
}

/** Whether half of all answers are right. */
const isGuess = ({ right }) => right === SENTENCES().length / 2;

/** How many of all answers are right. */
function tallyText({ right }, hidden) {
  if (hidden) return "Answers are hidden until you have answered.";
  return isGuess({ right })
    ? "Of the answers to all 480 sentences, {right} are right, as many as if it always said the same."
    : "Of the answers to all 480 sentences, {right} are right.";
}

/** What the figure says in words, which holds a number that `draw` writes. */
const speak = (_state, _result, { tally }) => tally.textContent;

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
