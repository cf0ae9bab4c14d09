// Who sees, and who is seen? The outputs of one or two heads for four sentences, and the straight cuts between them.
const REACH = 3, WORDS = { 1: _("cat"), "-1": _("dog") }; // the plane of queries and keys goes from -3 to 3
const SENTENCES = [[1, 1], [1, -1], [-1, 1], [-1, -1]]; // the values of the first and the third word
const said = ([first, third], as) => fillIn("{first} sees {third}", { first: as(WORDS[first], 0), third: as(WORDS[third], 2) });
const phrase = (sentence) => said(sentence, String).join("");

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

const MIDDLE = 150, UNIT = 108; // the drawing of the outputs, 300 wide and high: where 0 is, and how long 1 is
const TINT = ["live-blue", "live-ink", "live-orange"], POSITIONS = ["1st word", _("sees"), "3rd word"];
const QUESTIONS = ["who sees?", "who is seen?"], INDEX = "₁₂", LINE = 22, NAME = 104; // a line, and how long a name is

/** At which height the name of each dot stands: above those of one head, a line apart. Of those of two heads the upper
 *  pair has its names above and the lower below; where the outer dot is in the way of the inner name, that stands beyond. */
function namesApart(places, two) {
  if (!two) return places.map(([, y], i) => y - 14 + (i - 3) * LINE);
  const order = range(4).sort((a, b) => places[a][1] - places[b][1] || a - b), rows = [];
  for (const [outer, inner, away, side] of [[order[0], order[1], -14, -1], [order[3], order[2], LINE, 1]]) {
    const [[x, y], [inX, inY]] = [places[outer], places[inner]], close = Math.abs(x - inX) < NAME && Math.abs(y - inY) < LINE + 14;
    rows[outer] = y + away;
    rows[inner] = close ? rows[outer] + side * LINE : inY + away;
  }
  return rows;
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const text = (x, y, words, look = {}) => make("text", { class: "live-label live-caption", x, y, ...look }, words);
  const line = (look, x1 = null, y1 = null, x2 = null, y2 = null) => make("line", { class: look, x1, y1, x2, y2 });

  // the plane of queries and keys
  const left = plane("Queries, keys, weights", REACH, 20);
  const shares = [0, 1].map((h) => range(3).map((j) => make("tspan", { "data-shows": `weights ${h} ${j}` })));
  const rays = [0, 1].map(() => line("live-ray live-ink", MIDDLE, MIDDLE)); // they run behind the names
  left.svg.append(...rays, ...first.keys.map((key, i) => {
    const [x, y] = left.px(key), [lx, ly] = left.px(key.map((c) => clamp(c * 1.15, -2.6, 2.6)));
    return make("g", {}, line(`live-ray ${TINT[i]}`, MIDDLE, MIDDLE, x, y),
      make("g", { class: `live-end ${TINT[i]}` }, make("circle", { cx: x, cy: y, r: 5 })),
      text(clamp(lx, 48, 252), ly + (key[1] < 0 ? 16 : -28), POSITIONS[i], { "text-anchor": "middle" }),
      text(clamp(lx, 48, 252), ly + (key[1] < 0 ? 33 : -11), shares.map((share) => share[i]), { "text-anchor": "middle" }));
  }));
  const put = (h, q) => change({ queries: read().queries.map((old, i) => (i === h ? q : old)) });
  const queries = rays.map((ray, h) => {
    const move = left.pointHandle(`query ${h + 1}`, "live-ink", badge(`q${INDEX[h]}`, h), (q) => put(h, q));
    return { ray, move, group: left.svg.lastChild };
  });

  // the outputs
  const at = (y) => [MIDDLE + UNIT * y[0], MIDDLE - UNIT * (y[1] ?? 0)];
  const upright = [line("live-axis", MIDDLE, 0, MIDDLE, 300), text(MIDDLE + 6, -5, "head 2 ↑")];
  const cuts = QUESTIONS.map((_, i) => line(`live-cut ${TINT[2 * i]} ${i ? "live-dashed" : ""}`));
  const colour = (words, at) => make("tspan", { class: `live-toned ${TINT[at]}` }, words);
  const dots = SENTENCES.map(() => make("circle", { class: "live-sentence", r: 6 })), leads = SENTENCES.map(() => line("live-axis"));
  const names = SENTENCES.map((sentence) => text(0, 0, said(sentence, colour), { "text-anchor": "middle" }));
  const svg = make("svg", { viewBox: "-20 -20 340 340", role: "img", "aria-label": "Outputs of four sentences" },
    line("live-axis", 0, MIDDLE, 300, MIDDLE), upright[0], cuts, text(316, 314, "head 1 →", { "text-anchor": "end" }), upright[1],
    leads, dots, names);
  const title = (words) => make("div", { class: "live-title" }, words);
  const right = make("div", { class: "live-plane" }, title("Outputs"), svg);

  // what can be told apart
  const results = QUESTIONS.map((question, i) => {
    const margin = make("span", { "data-shows": `margins ${i}` }), verb = make("span");
    const sample = make("svg", { viewBox: "0 0 30 10", class: "live-sample", "aria-hidden": "true" },
      line(`live-cut ${TINT[2 * i]} ${i ? "live-dashed" : ""}`, 0, 5, 30, 5));
    return { verb, margin, element: make("div", {}, sample, make("strong", {}, ` ${question} `), verb) };
  });
  const panel = make("div", { class: "live-answers" }, "Can one straight cut tell …", results.map(({ element }) => element));

  // controls
  const second = button("", () => change({ number: 3 - read().number }));
  const hint = make("p", { class: "live-hint" }), verdict = make("p", { class: "live-verdict" });
  el.append(hint, make("div", { class: "live-planes" }, left.element, right),
    make("div", { class: "live-controls" }, second, button("Back to start", () => change(first))), panel, verdict);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), two = state.number === 2;
    const hidden = el.classList.contains("live-asking"), seen = (yes) => ({ visibility: yes ? "visible" : "hidden" });
    queries.forEach(({ ray, move, group }, h) => {
      const [x2, y2] = left.px(state.queries[h]), here = h < state.number;
      set(ray, { x2, y2, ...seen(here) });
      move(state.queries[h]);
      if (here !== (group.parentNode === left.svg)) here ? left.svg.append(group) : group.remove();
      shares[h].forEach((share, j) => {
        set(share, { "data-shows": here ? `weights ${h} ${j}` : null, dx: h ? 8 : null });
        write(share, !here ? "" : hidden ? "?" : show(result.weights[h][j]));
      });
    });
    upright.forEach((part) => set(part, seen(two)));
    const places = result.outputs.map(at), rows = namesApart(places, two);
    places.forEach(([cx, cy], i) => {
      const x = clamp(cx, 34, 266);
      set(dots[i], { cx: cx.toFixed(2), cy: cy.toFixed(2), ...seen(!hidden) });
      set(names[i], { x: x.toFixed(2), y: rows[i].toFixed(2), ...seen(!hidden) });
      set(leads[i], { x1: cx.toFixed(2), y1: cy.toFixed(2), x2: x.toFixed(2), y2: (rows[i] - 5).toFixed(2), ...seen(!hidden) });
    });
    result.cuts.forEach((cut, i) => {
      const [x, y] = cut ? [cut[0], cut[1] ?? 0].map((c) => Number((220 * c / result.margins[i]).toFixed(2))) : [0, 0];
      set(cuts[i], { x1: MIDDLE - y, y1: MIDDLE - x, x2: MIDDLE + y, y2: MIDDLE + x, ...seen(cut && !hidden) });
      const margin = result.margins[i], { verb, margin: number } = results[i];
      tell(verb, hidden ? "{margin}" : cut ? "yes, margin {margin}" : "no, margin {margin}", { margin: number });
      write(number, hidden ? "?" : margin > 0 && margin < 5e-3 ? tiny(margin) : show(margin));
    });
    write(second, two ? "Use one head" : "Use two heads");
    write(hint, two ? "Drag q₁ and q₂. Where do you lose a cut?" : "Drag q₁. Can one head answer both questions?");
    write(verdict, hidden ? "The outputs are hidden until you have answered." : sentence(two, result));
    speak(verdict.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence(two, { cuts, margins }) {
  if (cuts[0] && cuts[1]) return "Both questions can be answered.";
  const [one, other] = SENTENCES.slice(1, 3).map(phrase), which = cuts[0] || cuts[1] ? (margins[0] > 0 ? 0 : 1) : 2;
  return (two ? ["Both heads mix the outer words in the same ratio: a cut tells the first word only.",
    "Both heads mix the outer words in the same ratio: a cut tells the third word only.",
    `Both heads mix the outer words in the same ratio: “${one}” and “${other}” have the same output.`]
    : ["A cut tells the first word only.", "A cut tells the third word only.", `“${one}” and “${other}” have the same output.`])[which];
}

export default { initialize, render, compute, valid };
