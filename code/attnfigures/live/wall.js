// All heads of a language model in one sentence: what each reads, and what the next word becomes
// without it. What experiments have stored are the constants `sentences` and `copiers`, which
// files.py puts in front.

const LAYERS = 30;
const HEADS = 9;
const EVERY = range(LAYERS * HEADS);
const INSTEAD = { mean: "its mean output", uniform: "uniform weights" };
const HIGHLIGHTS = {
  all: "all heads",
  here: "heads that look where this one looks",
  first: "heads that look at token 0",
  before: "heads that look one token back",
  after: "induction heads",
  needed: "heads that the answer needs",
};
const TEXTS = sentences.map(({ text }) => text);
const MOST = Math.max(...sentences.map(({ tokens }) => tokens.length));

// ---- compute -------------------------------------------------------------------------------------

/** A function of a sentence that keeps its answers. */
function once(f) {
  const answers = new Map();
  return (text) => {
    if (!answers.has(text)) answers.set(text, f(sentences.find((one) => one.text === text)));
    return answers.get(text);
  };
}

/**
 * The weights of all heads, in parts of 255: a list of rows each, and a row ends at its token, which
 * gets what the others, which are rounded, leave.
 */
const partsOf = once(({ tokens, weights }) => {
  const bytes = atob(weights);
  let at = 0;
  const row = (i) => {
    const before = range(i).map(() => bytes.charCodeAt(at++));
    return [...before, Math.max(0, 255 - total(before))];
  };
  return EVERY.map(() => tokens.map((_x, i) => row(i)));
});

/** What is stored of a sentence. */
const storedOf = once((sentence) => sentence);

/** The token of a sentence that the right answer follows: that word itself, or the subject of a verb. */
const SUBJECTS = { " are": " keys" };
const soughtIn = once(({ words: [right] }) => SUBJECTS[right] ?? right);

/** The median weight after the previous occurrence of ten heads, the strongest in random tokens. */
const AFTER = EVERY.map((k) => {
  const found = copiers.find((one) => {
    const [layer, head] = one["layer, head"];
    return HEADS * layer + head === k;
  });
  return found ? found.weight[1] : 0;
});

/** The number of each head that decides whether it stands out: it does above 1/2. */
function measureOf({ sentence, word, instead, highlight }, key) {
  const parts = partsOf(sentence);
  const rows = range(parts[0].length);
  const share = (A, from, column) => {
    const some = rows.slice(from);
    return total(some.map((i) => A[i][column(i)])) / (255 * some.length);
  };
  const measures = {
    all: () => 1,
    here: (A) => A[word][key] / 255,
    first: (A) => share(A, 1, () => 0),
    before: (A) => share(A, 2, (i) => i - 1), // in row 1 the token before is token 0
    after: (_x, k) => AFTER[k],
    needed: (_x, k) => -storedOf(sentence)[instead][k],
  };
  return parts.map(measures[highlight]);
}

/**
 * A row of a head, what it sends to the answer, the answer with and without each head, and the heads
 * that stand out.
 */
function compute(state) {
  const { sentence, layer, head, word, instead } = state;
  const { tokens, direct, [instead]: changes, "log-odds": whole } = storedOf(sentence);
  const k = HEADS * layer + head;
  const seen = partsOf(sentence)[k][word];
  const row = tokens.map((_x, j) => (seen[j] ?? 0) / 255);
  const key = row.indexOf(Math.max(...row));
  const answers = changes.map((change) => whole + change);
  const measure = measureOf(state, key);
  return {
    row,
    key,
    weight: row[key],
    direct: direct[k],
    whole,
    without: answers[k],
    answers,
    measure,
    marked: EVERY.filter((k) => measure[k] > 0.5),
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ sentence, layer, head, word, instead, highlight }) => {
  const below = (x, n) => Number.isInteger(x) && x >= 0 && x < n;
  return (
    TEXTS.includes(sentence) &&
    below(layer, LAYERS) &&
    below(head, HEADS) &&
    below(word, storedOf(sentence).tokens.length) &&
    Object.hasOwn(INSTEAD, instead) &&
    Object.hasOwn(HIGHLIGHTS, highlight)
  );
};

// ---- where a tile stands -------------------------------------------------------------------------
// A tile is 24 wide, 2 of them free. A wide figure has all layers in one line, a narrow one 15 in
// each of two lines, of lower tiles.

const WIDE = 24; // from one tile to the next
const FREE = 2;
const LEFT = 30;
const ABOVE = 17;
const FORMS = {
  broad: { line: 30, tall: 20 },
  narrow: { line: 15, tall: 17 },
};
const ZOOM = { left: 64, top: 3, side: 144 }; // the head in detail, with the tokens left of it
const LINE = { left: 48, long: 228, dots: 22 }; // of the log-odds: room for a number at each end
const boxOf = ({ line, tall }) => [LEFT + WIDE * line, (LAYERS / line) * (ABOVE + HEADS * tall)];

/** Where the tile of head k of all begins. */
function cornerOf(k, { line, tall }) {
  const layer = Math.floor(k / HEADS);
  const down = Math.floor(layer / line) * (ABOVE + HEADS * tall);
  return [LEFT + WIDE * (layer % line), ABOVE + down + tall * (k % HEADS)];
}

/** The layer and the head of the tile that is nearest to a place. */
function tileAt(x, y, { line, tall }) {
  const high = ABOVE + HEADS * tall;
  const down = clamp(Math.floor(y / high), 0, LAYERS / line - 1);
  const column = clamp(Math.floor((x - LEFT) / WIDE), 0, line - 1);
  const head = clamp(Math.floor((y - down * high - ABOVE) / tall), 0, HEADS - 1);
  return { layer: down * line + column, head };
}

// ---- build ---------------------------------------------------------------------------------------

const LEVELS = 6; // of grey
const TRIED = 5; // so many heads a reader tries before the wall tells what each does
const FALL = 0.5; // of the log-odds, where the frame of a tile is boldest
const NARROW = 560; // px

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const grid = buildGrid(read, change);
  const zoom = buildZoom();
  const words = range(MOST).map((i) => buildWord(() => change({ word: i })));
  const answer = buildAnswer();
  const lists = buildLists(read, change);
  const hint = hintLine();
  const message = messageLine();
  const controls = Object.values(lists).map(({ element }) => element);
  const name = "The token whose row is shown";
  const group = { class: "live-wall-words", role: "group", "aria-label": name };
  el.append(
    hint,
    grid.svg,
    div(
      "live-wall-detail",
      zoom.svg,
      div("live-wall-head", make("div", group, words.map(({ element }) => element)), answer.svg),
    ),
    div("live-controls", controls, button("Back to start", () => change(first))),
    message,
  );
  const parts = { hint, grid, zoom, words, answer, lists, message };
  new ResizeObserver(() => {
    const form = el.clientWidth < NARROW ? FORMS.narrow : FORMS.broad;
    if (!el.clientWidth || form === grid.form) return;
    grid.form = form;
    parts.update();
  }).observe(el);
  return parts;
}

/** The wall of tiles, and the frame of the head in detail, which is its handle. */
function buildGrid(read, change) {
  const ground = make("path", { class: "live-wall-ground" });
  const levels = range(LEVELS).map((l) => (l + 1) / LEVELS);
  const path = (hue) => (level) =>
    make("path", { class: `live-wall-cells ${hue}`, "fill-opacity": thousandth(level) });
  const layers = ["live-wall-full", "live-wall-faint"].map((look) => {
    const paths = ["live-ink", "live-blue"].map((hue) => levels.map(path(hue)));
    return { group: make("g", { class: look }, paths), paths };
  });
  const needs = levels.map((level) =>
    make("path", { class: "live-wall-needs live-purple", "stroke-opacity": thousandth(level) })
  );
  const labels = make("g", {});
  const look = { class: "live-wall-map", role: "group", "aria-label": "The weights of all heads" };
  const svg = make("svg", look, ground, layers.map(({ group }) => group), needs, labels);
  // Style rules choose by the width, before anything is drawn, how high the wall will be.
  for (const [name, form] of Object.entries(FORMS)) {
    svg.style.setProperty(`--${name}`, boxOf(form).join(" / "));
  }
  // Until the figure knows its own width: in a narrow window it is narrow, and is then drawn once.
  const form = matchMedia(`(max-width: ${NARROW}px)`).matches ? FORMS.narrow : FORMS.broad;
  const grid = { form, ground, layers, needs, labels, svg, tried: new Set() };
  const pick = (x, y) => change(tileAt(x, y, grid.form));
  const step = (dx, dy) => {
    const { layer, head } = read();
    change({ layer: clamp(layer + dx, 0, LAYERS - 1), head: clamp(head - dy, 0, HEADS - 1) });
  };
  const frame = make("rect", { class: "live-wall-frame", x: -WIDE / 2, width: WIDE });
  const move = handle(svg, _("head"), "live-orange", frame, pick, step);
  set(move.element, {
    "aria-description": "left and right change the layer, up and down the head",
  });
  pickable(svg, move.element, pick);
  return Object.assign(grid, { frame, move });
}

/**
 * Calls `pick(x, y)` where a finger taps, and wherever the mouse goes while it is pressed; `chosen`,
 * which shows what was picked, gets the focus.
 */
function pickable(svg, chosen, pick) {
  const pickAt = (event) => {
    const { x, y } = placeIn(svg, event);
    pick(x, y);
  };
  svg.addEventListener("pointerup", (event) => {
    pickAt(event);
    chosen.focus({ preventScroll: true });
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && event.buttons === 1) pickAt(event);
  });
}

/** The weights of the head in detail, enlarged, with the tokens beside its rows. */
function buildZoom() {
  const cells = make("g", {});
  const { left, top, side } = ZOOM;
  const box = `0 0 ${left + side + 2} ${side + 2 * top}`;
  const look = { class: "live-wall-zoom", viewBox: box, role: "img" };
  return { svg: make("svg", look, cells), cells };
}

/** A token: a button with its text, its weight as a bar, and its weight. */
function buildWord(act) {
  const text = make("span", { class: "live-wall-text" });
  const bar = make("span", { class: "live-wall-bar live-blue" });
  const track = make("span", { class: "live-wall-track" }, bar);
  const weight = make("span", { class: "live-wall-weight" });
  const look = { type: "button", class: "live-wall-word", onclick: act };
  const element = make("button", look, text, track, weight);
  return { element, text, bar, weight };
}

/** The line of the log-odds: a tick for the model without each head, and two dots. */
function buildAnswer() {
  const axis = make("path", { class: "live-axis" });
  const even = make("path", { class: "live-wall-even live-axis" });
  const faint = make("path", { class: "live-wall-ticks live-wall-faint" });
  const full = make("path", { class: "live-wall-ticks" });
  const arrow = make("path", { class: "live-wall-arrow" });
  const whole = make("circle", { class: "live-wall-whole", r: 5, cy: LINE.dots });
  const without = make("g", { class: "live-wall-without live-orange" }, shapeOf("diamond", 7));
  const label = (attributes) =>
    make("text", { class: "live-label", y: LINE.dots + 4, ...attributes });
  const numbers = {
    whole: label({ "data-shows": "whole" }),
    without: label({ "data-shows": "without" }),
  };
  const ends = [label({ x: 4, y: 48 }), label({ x: 336, y: 48, "text-anchor": "end" })];
  const units = range(24).map(() => label({ y: 58, "text-anchor": "middle" }));
  const look = { class: "live-wall-line", viewBox: "0 0 340 62", role: "img" };
  const dots = [arrow, whole, without];
  const svg = make("svg", look, axis, even, faint, full, dots, Object.values(numbers), ends, units);
  return { svg, axis, even, faint, full, arrow, whole, without, numbers, ends, units };
}

/** The lists of sentences, of heads that stand out, and of what replaces a head. */
function buildLists(read, change) {
  const texts = Object.fromEntries(TEXTS.map((text, i) => [i, text.trim()]));
  const lastOf = (text) => storedOf(text).tokens.length - 1;
  const open = (i) => {
    const next = { sentence: TEXTS[i], word: lastOf(TEXTS[i]) };
    change({ ...next, ...strongest({ ...read(), ...next }) });
  };
  return {
    sentence: choice(_("sentence"), texts, open),
    highlight: choice(
      _("highlight"),
      HIGHLIGHTS,
      (highlight) => change({ highlight, ...strongest({ ...read(), highlight }) }),
    ),
    instead: choice(_("instead"), INSTEAD, (instead) => change({ instead })),
  };
}

/** The head to look at first among those that stand out, and its row. */
function strongest(state) {
  const { highlight, sentence } = state;
  if (highlight === "all" || highlight === "here") return {};
  const { measure, marked } = compute(state);
  const copy = copyIn(sentence);
  const known = highlight === "after" && copy;
  const seen = known ? (k) => partsOf(sentence)[k][copy.word][copy.key] : (k) => measure[k];
  const most = Math.max(...marked.map(seen));
  const best = marked.find((k) => seen(k) === most);
  return {
    layer: Math.floor(best / HEADS),
    head: best % HEADS,
    word: known ? copy.word : state.word,
  };
}

/** The last token that has occurred before, and the token after its previous occurrence, or null. */
const copyIn = once(({ tokens }) => {
  const word = tokens.findLastIndex((token, i) => tokens.indexOf(token) < i);
  return word < 0 ? null : { word, key: tokens.lastIndexOf(tokens[word], word - 1) + 1 };
});

// ---- draw ----------------------------------------------------------------------------------------

/**
 * Writes a state and what `compute` returns for it into the elements. `hidden` is true until the
 * reader has answered the question.
 */
function draw({ hint, grid, zoom, words, answer, lists }, state, result, { hidden }) {
  drawHint(hint, state);
  drawGrid(grid, state, result);
  if (!hidden) grid.tried.add(HEADS * state.layer + state.head);
  drawNeeds(grid, state, result);
  drawZoom(zoom, state);
  drawWords(words, state, result);
  drawAnswer(answer, state, result, hidden);
  lists.sentence.put(String(TEXTS.indexOf(state.sentence)));
  lists.highlight.put(state.highlight);
  lists.instead.put(state.instead);
}

/** What there is to find in a sentence. */
function drawHint(hint, { sentence }) {
  const { tokens } = storedOf(sentence);
  const bold = (text) => make("b", {}, text.trim());
  tell(
    hint,
    "Touch the heads. Which let {from} read {to}, and which does the answer need?",
    {
      from: bold(tokens.at(-1)),
      to: bold(soughtIn(sentence)),
    },
  );
}

/** The wall, as wide as there is room. */
function drawGrid(grid, state, { marked, key, weight }) {
  const { svg, ground, layers, labels, frame, move, form: now } = grid;
  // Thousands of cells are not drawn again while only the frame moves.
  const looks = JSON.stringify([now, state.sentence, state.word, marked]);
  if (looks !== grid.looks) {
    grid.looks = looks;
    set(svg, { viewBox: `0 0 ${boxOf(now).join(" ")}` });
    set(ground, { d: EVERY.map((k) => triangle(k, now)).join("") });
    labels.replaceChildren(...labelsOf(now));
    const cells = cellsOf(state, marked, now);
    layers.forEach(({ paths }, faint) =>
      paths.forEach((hue, blue) =>
        hue.forEach((path, l) => set(path, { d: cells[faint][blue][l] }))
      )
    );
  }
  const { layer, head, sentence, word } = state;
  const k = HEADS * layer + head;
  const [x, y] = cornerOf(k, now);
  const middle = [x + (WIDE - FREE) / 2, y + (now.tall - FREE) / 2];
  set(frame, { y: -now.tall / 2, height: now.tall });
  const { tokens } = storedOf(sentence);
  const spoken = `layer ${layer}, head ${head}: ${tokens[word].trim()} gives ${
    tokens[key].trim()
  } ${show(weight)}`;
  move(middle, spoken, { now: k, min: 0, max: LAYERS * HEADS - 1 });
}

/** A frame around each head without which the log-odds fall, once the reader has tried a few. */
function drawNeeds(grid, state, { answers, whole }) {
  const { needs, form } = grid;
  const levelOf = (answer) => Math.min(LEVELS, Math.floor((LEVELS * (whole - answer)) / FALL));
  const levels = isTold(grid, state) ? answers.map(levelOf) : [];
  needs.forEach((path, l) => {
    const heads = EVERY.filter((k) => levels[k] === l + 1);
    set(path, { d: heads.map((k) => outlineOf(k, form)).join("") });
  });
}

/** Whether the wall tells what each head does: a few were tried beside the first, and none stands out. */
const isTold = ({ tried }, { highlight }) => tried.size > TRIED && highlight === "all";

/** The rim of a tile. */
function outlineOf(k, form) {
  const [x, y] = cornerOf(k, form);
  return `M${x} ${y}h${WIDE - FREE}v${form.tall - FREE}h${FREE - WIDE}z`;
}

/** What the weights of a head can fill: the lower triangle. */
function triangle(k, form) {
  const [x, y] = cornerOf(k, form);
  return `M${x} ${y}v${form.tall - FREE}h${WIDE - FREE}z`;
}

/** The numbers of the layers above the wall, and of the heads beside it. */
function labelsOf(form) {
  const text = (x, y, words, anchor) =>
    make("text", { class: "live-label", x, y, "text-anchor": anchor }, words);
  const layers = range(LAYERS / 5).map((i) => {
    const [x, y] = cornerOf(HEADS * 5 * i, form);
    return text(x, y - 4, i ? String(5 * i) : "layer 0", "start");
  });
  const heads = range(LAYERS / form.line).flatMap((line) =>
    [0, 4, 8].map((head) => {
      const [, y] = cornerOf(HEADS * form.line * line + head, form);
      return text(LEFT - 5, y + form.tall / 2 + 3, String(head), "end");
    })
  );
  const name = text(0, 0, _("head"), "middle");
  set(name, { transform: `translate(10 ${ABOVE + 4 * form.tall + form.tall / 2}) rotate(-90)` });
  return [...layers, ...heads, name];
}

/** The cells of all weights as paths: [stands out or not][other rows or that of the word][level]. */
function cellsOf({ sentence, word }, marked, form) {
  const out = new Set(marked);
  const parts = partsOf(sentence);
  const n = parts[0].length;
  const wide = (WIDE - FREE) / n;
  const tall = (form.tall - FREE) / n;
  const paths = range(2).map(() => range(2).map(() => Array(LEVELS).fill("")));
  const cell = `h${hundredth(wide)}v${hundredth(tall)}h${-hundredth(wide)}z`;
  parts.forEach((A, k) => {
    const [left, top] = cornerOf(k, form);
    const into = paths[Number(!out.has(k))];
    A.forEach((row, i) => {
      row.forEach((part, j) => {
        const level = Math.round((LEVELS * part) / 255) - 1;
        if (level < 0) return;
        const place = `M${hundredth(left + j * wide)} ${hundredth(top + i * tall)}`;
        into[Number(i === word)][level] += place + cell;
      });
    });
  });
  return paths;
}

/** The weights of the head in detail, row by row. */
function drawZoom({ svg, cells }, { sentence, layer, head, word }) {
  const { tokens } = storedOf(sentence);
  const { left, top } = ZOOM;
  const side = ZOOM.side / tokens.length;
  const hueOf = (i) => (i === word ? "live-blue" : "live-ink");
  const cell = (i) => (part, j) =>
    make("rect", {
      class: `live-wall-cells ${hueOf(i)}`,
      "fill-opacity": thousandth(part / 255),
      x: hundredth(left + j * side),
      y: hundredth(top + i * side),
      width: hundredth(side),
      height: hundredth(side),
    });
  const name = (i) => {
    const y = hundredth(top + (i + 0.5) * side + 4); // its middle beside that of the row
    const place = { x: left - 5, y, "text-anchor": "end" };
    const look = i === word ? "live-label live-wall-chosen" : "live-label";
    return make("text", { class: look, ...place }, tokens[i].trim());
  };
  const rows = partsOf(sentence)[HEADS * layer + head].map((row, i) => [name(i), row.map(cell(i))]);
  cells.replaceChildren(...rows.flat(2));
  set(svg, { "aria-label": `The weights of head ${head} of layer ${layer}, a row for each token` });
}

/** The tokens, with what the token that is shown gives to each. */
function drawWords(words, { sentence, word }, { row }) {
  const { tokens } = storedOf(sentence);
  words.forEach(({ element, text, bar, weight }, i) => {
    element.hidden = i >= tokens.length;
    if (element.hidden) return;
    write(text, tokens[i].trim());
    write(weight, show(row[i]));
    set(bar, { style: `width: ${hundredth(100 * row[i])}%` });
    set(weight, { "data-shows": `row ${i}` });
    set(element, { "aria-pressed": i === word });
    element.classList.toggle("live-wall-later", i > word);
  });
}

/** The least and the largest log-odds that a line must hold, as whole numbers. */
const spanOf = once(({ "log-odds": whole, ...changes }) => {
  const all = Object.keys(INSTEAD).flatMap((way) => changes[way].map((change) => whole + change));
  return [Math.floor(Math.min(0, ...all)), Math.ceil(Math.max(...all))];
});

/** The line of the log-odds. */
function drawAnswer(parts, { sentence }, result, hidden) {
  const { words: [right, wrong] } = storedOf(sentence);
  const [least, most] = spanOf(sentence);
  const toX = (x) => hundredth(LINE.left + (LINE.long * (x - least)) / (most - least));
  const ticks = (heads) => heads.map((k) => `M${toX(result.answers[k])} 36v8`).join("");
  const marked = new Set(result.marked);
  set(parts.axis, { d: `M${toX(least)} 44H${toX(most)}` });
  set(parts.even, { d: `M${toX(0)} 10V44` });
  set(parts.full, { d: hidden ? "" : ticks(result.marked) });
  set(parts.faint, { d: hidden ? "" : ticks(EVERY.filter((k) => !marked.has(k))) });
  parts.units.forEach((unit, i) => {
    const there = least + i <= most;
    write(unit, there ? typeset(least + i) : "");
    set(unit, { x: toX(Math.min(least + i, most)) });
  });
  write(parts.ends[0], `← ${wrong.trim()}`);
  write(parts.ends[1], `${right.trim()} →`);
  drawDots(parts, result, toX, hidden);
}

/** The dots of the model as it is, and without the head, with their numbers at their far sides. */
function drawDots({ svg, whole, without, arrow, numbers }, result, toX, hidden) {
  const from = toX(result.whole);
  const to = toX(result.without);
  const far = hidden ? 1 : Math.sign(result.without - result.whole) || -1;
  const beside = (x, side) => ({ x: x + 9 * side, "text-anchor": side < 0 ? "end" : "start" });
  set(whole, { cx: from });
  set(numbers.whole, beside(from, -far));
  write(numbers.whole, show(result.whole));
  set(without, {
    transform: `translate(${to} ${LINE.dots})`,
    visibility: hidden ? "hidden" : "visible",
  });
  set(numbers.without, { ...beside(to, far), visibility: hidden ? "hidden" : "visible" });
  write(numbers.without, hidden ? "?" : show(result.without));
  set(arrow, { d: hidden ? "" : `M${from} ${LINE.dots}H${to}` });
  const [asTrained, withoutHead] = [show(result.whole), show(result.without)];
  set(svg, {
    "aria-label": hidden
      ? `Log-odds as trained ${asTrained}`
      : `Log-odds as trained ${asTrained}, without this head ${withoutHead}`,
  });
}

// ---- speak ---------------------------------------------------------------------------------------

const quoted = (text) => `“${text.trim()}”`;

/** What the figure says in words, and whether this head decides the answer. */
function speak(state, result, { hidden, grid }) {
  const { layer, head, sentence, word } = state;
  const [from, to] = [word, result.key].map((i) => quoted(storedOf(sentence).tokens[i]));
  const much = show(result.weight);
  const reads = `Head ${head} of layer ${layer}: ${from} gives ${to} ${much} of its weight.`;
  if (hidden) return paragraph(reads, "What follows without it is hidden until you have answered.");
  const wrong = quoted(storedOf(sentence).words[1]);
  return [
    paragraph(
      reads,
      doesText(state, result),
      marksText(state, result),
      isTold(grid, state) && "The bolder a head’s purple frame, the more they fall without it.",
    ),
    result.without < 0 ? `The model would say ${wrong}.` : "",
  ];
}

/** What the head sends to the answer, and what becomes of it without the head. */
function doesText({ sentence, instead }, { direct, whole, without }) {
  const [right, wrong] = storedOf(sentence).words.map(quoted);
  const adds = `It adds ${show(direct)} to the log-odds of ${right} against ${wrong} directly.`;
  const does = instead === "mean"
    ? `With its mean output in its place they go from ${show(whole)} to ${show(without)}.`
    : `With uniform weights in its place they go from ${show(whole)} to ${show(without)}.`;
  return paragraph(adds, does);
}

/** Which heads stand out, and how many. */
function marksText({ highlight, sentence, word }, { marked, key }) {
  const names = storedOf(sentence).tokens.map(quoted);
  const count = marked.length;
  const copy = copyIn(sentence);
  const repeated = copy
    ? `Here ${names[copy.word]} comes twice, the first time before ${names[copy.key]}.`
    : "Here no token comes twice.";
  return {
    all: "",
    here: `In ${count} of 270 heads ${names[word]} gives ${
      names[key]
    } more than half of its weight.`,
    first: `In ${count} of 270 heads the other tokens give token 0 more than half of their weight.`,
    before: `In ${count} of 270 heads a token gives the one before more than half of its weight.`,
    after:
      `Shown random tokens twice, ${count} heads give more than half of their weight to the token after the previous occurrence. ${repeated}`,
    needed: `Without any one of these ${count} heads, the log-odds fall by more than 0.5.`,
  }[highlight];
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
