// Who sees, and who is seen? The outputs of one or two heads for four sentences, and the straight cuts between them.
const REACH = 3, WORDS = { 1: "cat", "-1": "dog" }; // the plane of queries and keys goes from -3 to 3
const SENTENCES = [[1, 1], [1, -1], [-1, 1], [-1, -1]]; // the values of the first and the third word
const phrase = ([first, third]) => `${WORDS[first]} sees ${WORDS[third]}`;

/** The weights, the outputs of the four sentences, and for both questions the margin and the cut. */
function compute({ keys, queries, number }) {
  const weights = queries.slice(0, number).map((q) => softmax(keys.map((k) => dot(q, k) / Math.SQRT2)));
  const outputs = SENTENCES.map(([first, third]) => weights.map((a) => dot(a, [first, 0, third])));
  const [first, , third] = transpose(weights), margins = [0, 0], cuts = [null, null];
  [[first, third], [third, first]].forEach(([own, other], i) => {
    const t = clamp(-dot(own, other) / dot(other, other), -1, 1), nearest = own.map((x, h) => x + t * other[h]);
    const margin = Math.sqrt(dot(nearest, nearest));
    if (margin > EXACT) [margins[i], cuts[i]] = [margin, nearest];
  });
  return { weights, outputs, margins, cuts };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ keys, queries, number }) {
  const point = (p) => p.length === 2 && p.every((x) => Math.abs(x) <= REACH);
  return [...keys, ...queries].every(point) && keys.length === 3 && queries.length === 2 && [1, 2].includes(number);
}

const MIDDLE = 150, UNIT = 120; // the drawing of the outputs, 300 wide and high: where 0 is, and how long 1 is
const TINT = ["live-blue", "live-ink", "live-orange"], POSITIONS = ["1st word", "sees", "3rd word"];
const QUESTIONS = ["who sees?", "who is seen?"], INDEX = "₁₂";
const VALUES = "Values: cat 1, sees 0, dog −1. Output = Σ weight · value.";
const MARGIN = "Margin: how far each output may be off before its cut goes wrong.";

/** A sentence as a disc: the left half is the first word, the right half the third; full is cat, empty is dog. */
function disc([first, third]) {
  const half = (word, side, hue) =>
    make("path", { d: `M0 -10A10 10 0 0 ${side} 0 10Z`, class: `live-half ${hue}${word > 0 ? " live-full" : ""}` });
  return [half(first, 0, "live-blue"), half(third, 1, "live-orange")];
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const text = (x, y, words, look = {}) => make("text", { class: "live-label live-caption", x, y, ...look }, words);
  const line = (look, x1 = null, y1 = null, x2 = null, y2 = null) => make("line", { class: look, x1, y1, x2, y2 });

  // the plane of queries and keys
  const left = plane("Queries and keys", REACH, 20);
  left.svg.append(...first.keys.map((key, i) => {
    const [x, y] = left.px(key), [lx, ly] = left.px(key.map((c) => clamp(c * 1.15, -2.6, 2.6)));
    return make("g", {}, line(`live-ray ${TINT[i]}`, MIDDLE, MIDDLE, x, y),
      make("g", { class: `live-end ${TINT[i]}` }, make("circle", { cx: x, cy: y, r: 5 })),
      text(clamp(lx, 48, 252), ly + (key[1] < 0 ? 16 : -8), POSITIONS[i], { "text-anchor": "middle" }));
  }));
  const put = (h, q) => change({ queries: read().queries.map((old, i) => (i === h ? q : old)) });
  const queries = [0, 1].map((h) => {
    const ray = line("live-ray live-ink", MIDDLE, MIDDLE), letter = `q${INDEX[h]}`;
    const tip = h ? mark(1, 7) : make("circle", { r: 6 });
    const look = make("g", {}, tip, make("text", { class: "live-letter", x: 8, y: -8 }, letter));
    left.svg.append(ray);
    const move = left.pointHandle(`query ${h + 1}`, "live-ink", look, (q) => put(h, q));
    return { ray, move, group: left.svg.lastChild };
  });

  // the outputs
  const at = (y) => [MIDDLE + UNIT * y[0], MIDDLE - UNIT * (y[1] ?? 0)];
  const upright = make("g", {}, line("live-axis", MIDDLE, 0, MIDDLE, 300), text(MIDDLE + 6, 16, "head 2 ↑"));
  const cuts = QUESTIONS.map((_, i) => line(`live-cut ${TINT[2 * i]} ${i ? "live-dashed" : ""}`));
  const discs = SENTENCES.map((sentence) => make("g", { class: "live-sentence" }, make("g", {}, disc(sentence))));
  const svg = make("svg", { viewBox: "-20 -20 340 340", role: "img", "aria-label": "Outputs of four sentences" },
    line("live-axis", 0, MIDDLE, 300, MIDDLE), text(298, 295, "head 1 →", { "text-anchor": "end" }), upright,
    cuts, discs);
  const title = (words) => make("div", { class: "live-title" }, words);
  const right = make("div", { class: "live-plane" }, title("Outputs"), svg);

  // what can be told apart, and the weights
  const icon = (sentence) => make("svg", { viewBox: "-12 -12 24 24", class: "live-icon", "aria-hidden": "true" },
    disc(sentence));
  const legend = make("div", { class: "live-four" }, SENTENCES.map((s) => make("span", {}, icon(s), ` ${phrase(s)}`)));
  const results = QUESTIONS.map((question, i) => {
    const margin = make("span", { "data-shows": `margins ${i}` }), verb = make("span");
    const sample = make("svg", { viewBox: "0 0 30 10", class: "live-sample", "aria-hidden": "true" },
      line(`live-cut ${TINT[2 * i]} ${i ? "live-dashed" : ""}`, 0, 5, 30, 5));
    return { verb, margin, element: make("div", {}, sample, make("strong", {}, ` ${question} `), verb, margin) };
  });
  const weights = [0, 1].map((h) => [0, 1, 2].map((j) => make("td", { "data-shows": `weights ${h} ${j}` })));
  const rows = weights.map((cells, h) => make("tr", {}, make("th", { scope: "row" }, `head ${h + 1}`), cells));
  const top = make("tr", {}, make("th", { scope: "col" }, "weights"), POSITIONS.map((name) => make("th", { scope: "col" }, name)));
  const table = make("table", { class: "live-table" }, make("thead", {}, top), make("tbody", {}, rows));
  const note = (words) => make("div", { class: "live-note" }, words);
  const panel = make("div", { class: "live-plane live-answers" }, title("Four sentences"), legend, note(VALUES),
    title("Can one straight cut tell …"), results.map(({ element }) => element), note(MARGIN), table);

  // controls
  const fields = [0, 1].map((h) => [0, 1].map((c) => field(`query ${h + 1}, coordinate ${c + 1}`, REACH, (x) =>
    put(h, read().queries[h].map((old, i) => (i === c ? x : old))))));
  fields.flat().forEach((f) => f.open(true));
  const typed = fields.map((pair, h) => make("div", {}, `q${INDEX[h]} = `, pair.map((f) => f.element)));
  const typing = make("div", { hidden: "" }, typed);
  const second = button("", () => change({ number: 3 - read().number }));
  const type = toggle("Type the queries", (on) => { typing.hidden = !on; });
  const hint = make("p", { class: "live-hint" }), verdict = make("p", { class: "live-verdict" });
  el.append(hint,
    make("div", { class: "live-controls" }, second, type, button("Back to start", () => change(first))), typing,
    make("div", { class: "live-planes" }, left.element, right, panel), verdict);
  const speak = speaker(el);
  predictFirst(el, model.get("ask"), update);

  function update() {
    const state = read(), result = compute(state), two = state.number === 2;
    const hidden = el.classList.contains("live-asking"), seen = (yes) => ({ visibility: yes ? "visible" : "hidden" });
    queries.forEach(({ ray, move, group }, h) => {
      const [x2, y2] = left.px(state.queries[h]), here = h < state.number;
      set(ray, { x2, y2, ...seen(here) });
      move(state.queries[h]);
      set(group.querySelector(".live-letter"), letterAt(state.queries[h], REACH));
      if (here !== (group.parentNode === left.svg)) here ? left.svg.append(group) : group.remove();
      rows[h].hidden = typed[h].hidden = !here;
      fields[h].forEach((f, c) => f.put(state.queries[h][c]));
      weights[h].forEach((cell, j) => write(cell, !here ? "" : hidden ? "?" : show(result.weights[h][j])));
    });
    set(upright, seen(two));
    discs.forEach((group, i) => {
      const [x, y] = at(result.outputs[i]).map((c) => c.toFixed(2));
      set(group, { transform: `translate(${x} ${y})`, ...seen(!hidden) });
    });
    result.cuts.forEach((cut, i) => {
      const [x, y] = cut ? [cut[0], cut[1] ?? 0].map((c) => Number((220 * c / result.margins[i]).toFixed(2))) : [0, 0];
      set(cuts[i], { x1: MIDDLE - y, y1: MIDDLE - x, x2: MIDDLE + y, y2: MIDDLE + x, ...seen(cut && !hidden) });
      const margin = result.margins[i], { verb, margin: number } = results[i];
      write(verb, hidden ? "" : cut ? "yes, margin " : "no, margin ");
      write(number, hidden ? "?" : margin > 0 && margin < 5e-3 ? tiny(margin) : show(margin));
    });
    write(second, two ? "Use one head" : "Use two heads");
    write(hint, two ? "Drag q₁ and q₂. Where do you lose one of the two cuts?"
      : "Drag the query q₁. Can you get a cut for both questions? Then use two heads.");
    write(verdict, hidden ? "The outputs are hidden until you have answered." : sentence(two, result));
    speak(verdict.textContent);
  }
  model.on("change:state", update);
  update();
}

/** What the figure says in words. */
function sentence(two, { cuts, margins }) {
  if (cuts[0] && cuts[1]) return "The two heads mix the outer words in different ratios, so both questions can be answered.";
  const why = two ? "Both heads mix the outer words in the same ratio, so they report no more than one head."
    : "One head reports one mixture of the first and the third word.";
  if (!cuts[0] && !cuts[1]) {
    return `${why} Here the shares are equal: “${phrase(SENTENCES[1])}” and “${phrase(SENTENCES[2])}” have the same output.`;
  }
  return `${why} A straight cut tells only the word with more weight, here the ${margins[0] > 0 ? "first" : "third"} word.`;
}

export default { initialize, render, compute, valid };
