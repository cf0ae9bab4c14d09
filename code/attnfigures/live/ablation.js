// Switch heads off: six heads of a trained encoder, what each looks at, and how many answers survive without it.
const STEP = 100, INSTEAD = { alike: 1 / N, nothing: 0 }, HEADS = range(LAYERS * H);
const SENTENCES = memoize(() => {
  const every = range(N).reduce((texts) => texts.flatMap((text) => WORDS.map((word) => [...text, word])), [[]]);
  return every.map((words) => words.join(" ")).filter(isSentence);
});

/** The maps of all heads and the log-odds of "cat first" for some sentences, with some heads off. */
function answer(sentences, heads, instead) {
  const off = new Float64Array(N * N).fill(INSTEAD[instead]);
  return forward(weightsOf(true, STEP), sentences, 1, (l, r) => (heads[H * l + r] ? null : off));
}

/** How many of the 480 sentences are answered correctly. */
const rightOf = memoize((instead, ...heads) => answer(SENTENCES(), heads, instead).odds
  .filter((x, s) => x > 0 === catFirst(SENTENCES()[s])).length);

/** The maps of all heads for the sentence, P(cat first), and how many of the 480 sentences are right. */
function compute({ sentence, heads, instead }) {
  const { maps: all, odds } = answer([sentence], heads, instead), at = sentence.split(" ").indexOf("fish");
  const maps = all.map(([A]) => range(N).map((i) => [...A.slice(N * i, N * i + N)])), p = sigmoid(odds[0]);
  const onFish = maps.map((A) => mean(A.map((row) => row[at])));
  return { p, catFirst: catFirst(sentence), maps, onFish, right: rightOf(instead, ...heads) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ sentence, heads, instead }) => isSentence(sentence) && Object.hasOwn(INSTEAD, instead)
  && heads.length === HEADS.length && heads.every((x) => x === 0 || x === 1);

/** One head: a button that switches it, its map with the first letters of the words, its weight on the fish, and how many
 *  answers were right when this head alone was off, once the reader has seen it. */
function head(k, flip) {
  const notes = Object.fromEntries(Object.keys(INSTEAD).map((way) => [way, make("b", {}, "?")]));
  const press = button("", flip), weight = make("b", { "data-shows": `onFish ${k}` }), layer = Math.floor(k / H) + 1;
  const letters = range(2).map((side) => range(N).map((i) => make("text", { class: "live-label live-ablation-letter",
    "text-anchor": "middle", ...(side ? { x: 30 + 20 * i, y: 13 } : { x: 9, y: 34 + 20 * i }) })));
  const cells = range(N * N).map((c) => make("rect", { class: "live-ablation-cell", x: 20 + 20 * (c % N), y: 20 + 20 * Math.floor(c / N), width: 19, height: 19 }));
  const frame = make("rect", { class: "live-ablation-fish", y: 19, width: 21, height: 121 });
  const svg = make("svg", { viewBox: "0 0 142 142", role: "img", class: "live-ablation-map" }, cells, frame, letters);
  const note = (way, right) => { write(notes[way], String(right)); notes[way].classList.toggle("live-fails", right < 480); };
  const put = (A, words, on, share) => {
    const name = on ? `head ${k % H + 1} on` : `head ${k % H + 1} off`;
    write(press, name);
    set(press, { "aria-pressed": on === 1, "aria-label": `${name}, layer ${layer}` });
    letters.forEach((side) => side.forEach((letter, i) => write(letter, SHOWN[words[i]][0])));
    A.flat().forEach((x, c) => set(cells[c], { "fill-opacity": thousandth(x) }));
    set(frame, { x: 19 + 20 * words.indexOf("fish") });
    const most = words.map((word, i) => `${SHOWN[word]} at ${SHOWN[words[A[i].indexOf(Math.max(...A[i]))]]}`);
    set(svg, { "aria-label": on ? `Most weight: ${most.join(", ")}` : _("off") });
    write(weight, show(share));
  };
  return { element: make("div", { class: "live-ablation-head" }, press, svg, make("div", {}, fillIn("on fish {weight}", { weight })),
    make("div", { class: "live-ablation-notes" }, make("span", {}, fillIn("alike: {alike}", notes)), make("span", {}, fillIn("nothing: {nothing}", notes)))), put, note };
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), tiles = tileRow(read, change);
  const flip = (k) => change({ heads: read().heads.map((on, l) => (l === k ? 1 - on : on)) });

  const panels = HEADS.map((k) => head(k, () => flip(k)));
  const rows = range(LAYERS).map((l) => make("div", { class: "live-ablation-layer", role: "group", "aria-label": `Layer ${l + 1}` },
    make("div", { class: "live-title" }, `Layer ${l + 1}`), panels.slice(H * l, H * l + H).map(({ element }) => element)));
  const instead = choice("a head that is off", { alike: "looks at all words alike", nothing: "adds nothing" }, (x) => change({ instead: x }));
  const p = make("b", { "data-shows": "p" }), says = make("p"), right = make("b", { "data-shows": "right" });
  const bar = make("span", { class: "live-ablation-right" }), tally = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Switch off one head at a time, in both ways. Which one can the model not do without? The notes keep how many of 480 answers are right without that head."),
    tiles.row, says, make("div", { class: "live-ablation-rows" }, rows),
    tally, make("div", { class: "live-ablation-bar", "aria-hidden": "true" }, bar),
    make("div", { class: "live-controls" }, instead.element, button("Back to start", () => change(first))));
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), words = state.sentence.split(" "), hidden = el.classList.contains("live-asking");
    instead.put(state.instead);
    tiles.put(words);
    panels.forEach(({ put }, k) => put(result.maps[k], words, state.heads[k], result.onFish[k]));
    write(p, hidden ? "?" : show(result.p, 3));
    tell(says, hidden ? "P(cat first) = {p}" : result.p > 0.5 === result.catFirst ? "P(cat first) = {p}: {answer}, which is right"
      : "P(cat first) = {p}: {answer}, which is wrong", { p, answer: result.p > 0.5 ? "cat first" : "fish first" });
    const off = HEADS.filter((k) => !state.heads[k]);
    if (!hidden && off.length === 1) panels[off[0]].note(state.instead, result.right);
    write(right, hidden ? "?" : String(result.right));
    set(bar, { style: `width: ${hidden ? 0 : thousandth(result.right / 4.8)}%` });
    tell(tally, hidden ? "Answers are hidden until you have answered." : result.right === 240
      ? "Of the answers to all 480 sentences, {right} are right, as many as if it always said the same."
      : "Of the answers to all 480 sentences, {right} are right.", { right });
    speak(tally.textContent);
  }
  update();
}

export default { initialize, render, compute, valid };
