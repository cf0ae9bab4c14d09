// All orders of five words in a language model that has read the web, with and without mask, and
// with weaker positions. Nothing is computed here: what the model answers to each of 120 orders in
// each of 18 settings is the constant `members`, which files.py puts in front.
const START = "Tom gave Mary a book".split(" ");
const ORDERS = ordersOf(START).map((order) => order.join(" "));
const STOPS = range(9).map((k) => k / 8);
const SHOWN = 5; // so many of the next words are stored for each order
const NAMES = [START[0], START[2]].map((name) => ` ${name}`); // Tom, Mary

// ---- compute -------------------------------------------------------------------------------------

/** Five numbers from 0 to 255 for each order, from base64. */
const fives = (text) => {
  const bytes = Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return ORDERS.map((_, s) => bytes.slice(SHOWN * s, SHOWN * (s + 1)));
};

const ANSWERS = members.map(({ mask, strength, odds, words, top, p }) => ({
  ahead: !mask,
  alpha: strength,
  odds,
  words: fives(top).map((five) => five.map((w) => words[w])),
  percent: fives(p).map((five) => five.map((b) => 100 * (b / 255) ** 2)),
}));

/** How many times as likely the likelier of Mary and Tom is. */
const timesAt = (odds) => Math.exp(Math.abs(odds));

/**
 * The likeliest next words, Tom and Mary always among them, with their percentages. One name that is
 * not stored follows from the other and the log-odds. If both are not, their percentages are `bounds`,
 * rounded up: the likelier is below the least that is stored, and the other below that over the odds.
 */
function rowsOf(words, percent, odds) {
  const isName = (k) => NAMES.includes(words[k]);
  const stored = range(SHOWN).filter(isName);
  const others = range(SHOWN).filter((k) => !isName(k)).slice(0, SHOWN - NAMES.length);
  const shown = [...stored, ...others].sort((a, b) => a - b);
  const ranked = odds > 0 ? [...NAMES].reverse() : NAMES;
  const missing = ranked.filter((name) => !words.includes(name));
  const least = percent[SHOWN - 1];
  const bounds = [least, least / timesAt(odds)].map((x) => Math.ceil(10 * x - 1e-9) / 10);
  const rest = stored.length ? [Math.min(least, percent[stored[0]] / timesAt(odds))] : bounds;
  return {
    words: [...shown.map((k) => words[k]), ...missing],
    percent: [...shown.map((k) => percent[k]), ...missing.map((_name, k) => rest[k])],
    bounds: missing.length === NAMES.length,
  };
}

/**
 * The next words after a sentence with their percentages, the log-odds of Mary against Tom after
 * all orders and after this one, how many times as likely the likelier of the two is, and how far
 * the orders are apart.
 */
function compute({ sentence, alpha, ahead }) {
  const s = ORDERS.indexOf(sentence);
  const { odds, words, percent } = ANSWERS.find((one) =>
    one.alpha === alpha && one.ahead === ahead
  );
  return {
    ...rowsOf(words[s], percent[s], odds[s]),
    odds,
    own: odds[s],
    times: timesAt(odds[s]),
    range: Math.max(...odds) - Math.min(...odds),
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ sentence, alpha, ahead }) =>
  ORDERS.includes(sentence) && STOPS.includes(alpha) && typeof ahead === "boolean";

// ---- build ---------------------------------------------------------------------------------------

const LEAST = -4.3; // the axis in log-odds; the stored ones reach from -3.9 to 5.9
const MOST = 6.3;
const GUTTER = 62; // for the names of the rows
const TOP = 15; // room for the ring
const ROW = 25; // a row for each first word
const FLOOR = TOP + ROW * START.length; // where the axis is
const EACH = ORDERS.length / START.length; // orders in a row
const SAME = 1e-3; // log-odds that differ by less are those of one answer: four digits are stored
const MANY = 45; // percent, the width of a bar that fills its line
const ORDERLESS = { alpha: 0, ahead: true }; // nothing tells the model the order of the words
const TOLD = { alpha: 1, ahead: false };
const HUES_OF = { Tom: "live-orange", Mary: "live-blue" };

const isOrderless = ({ alpha, ahead }) => alpha === 0 && ahead;
const isTold = ({ alpha, ahead }) => alpha === 1 && !ahead;

/** Where log-odds lie in a drawing of this width, and where orders lie, each in its own lane. */
const axisOf = (width) => (odds) =>
  GUTTER + ((width - GUTTER - 8) * (odds - LEAST)) / (MOST - LEAST);
const heightOf = (s) => {
  const row = Math.floor(s / EACH);
  return TOP + ROW * (row + (1 + (s % EACH)) / (EACH + 1));
};

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const parts = { width: 343, result: null };
  parts.tiles = tileRow(read, change);
  parts.tiles.row.classList.add("live-cards");
  parts.dots = buildDots(parts, read);
  parts.bars = buildBars();
  parts.knob = buildKnob(change);
  parts.ahead = toggle("each word sees all (mask off)", (ahead) => {
    if (ahead !== read().ahead) change({ ahead });
  });
  parts.ahead.classList.add("live-orders-switch");
  parts.message = messageLine();
  parts.both = button("", () => change(isOrderless(read()) ? TOLD : ORDERLESS));
  const shuffle = button("Shuffle the cards", () => {
    const others = ORDERS.filter((order) => order !== read().sentence);
    parts.tiles.lay(others[Math.floor(Math.random() * others.length)]);
  });
  el.append(
    hintLine(
      ...fillIn(
        "*Who gets the book?* A language model reads your cards and guesses the next word. Drag the cards: can you make it say *Tom*?",
      ),
    ),
    div(
      "live-orders-grid",
      parts.tiles.row,
      make("p", { class: "live-orders-tail" }, "The book now belongs to …"),
      div(
        "live-orders-side",
        parts.bars.map(({ row }) => row),
        parts.knob.element,
        parts.ahead,
      ),
      div(
        "live-orders-all",
        div("live-title", "The answers to all 120 orders, by the first card"),
        parts.dots.svg,
      ),
    ),
    div("live-controls", parts.both, shuffle, button("Back to start", () => change(first))),
    parts.message,
  );
  nod(el);
  followWidth(parts.dots.svg, (width) => {
    parts.width = width;
    parts.update();
  });
  return parts;
}

/** A line for each of the next words: the word, its bar, and its percentage. */
function buildBars() {
  return range(SHOWN).map((i) => {
    const word = make("span", { class: "live-orders-word" });
    const bar = make("span", { class: "live-orders-bar" });
    const below = make("span");
    const number = make("span", { "data-shows": `percent ${i}` });
    const row = div(
      "live-orders-guess",
      word,
      make("span", { class: "live-orders-track" }, bar),
      make("span", { class: "live-orders-percent" }, below, number, " %"),
    );
    return { row, word, bar, below, number };
  });
}

/** The slider for the strength of the positions; it has the nine stops that are stored. */
function buildKnob(change) {
  const text = (alpha) => `α = ${8 * alpha}/8`;
  const reach = { min: 0, max: 1, step: 1 / 8, text };
  const knob = slider(
    "tell it where each word stands",
    reach,
    (alpha) => change({ alpha }),
  );
  knob.element.classList.add("live-orders-knob");
  return knob;
}

/** A dot for each order, in rows by the first word, and the ring around that of the sentence. */
function buildDots(parts, read) {
  const svg = make("svg", {
    class: "live-orders-dots",
    height: FLOOR + 38,
    role: "group",
    "aria-label": "The answers to all 120 orders, from Tom on the left to Mary on the right",
  });
  const text = (look, ...inside) => make("text", { class: "live-label", ...look }, ...inside);
  const rows = START.map((word, k) =>
    text({ class: "live-label live-orders-row", x: 0, y: TOP + 4 + ROW * (k + 0.5) }, `${word} …`)
  );
  const lines = range(START.length + 1).map((k) =>
    make("line", { class: "live-grid", x1: 0, y1: TOP + ROW * k, y2: TOP + ROW * k })
  );
  const middle = make("line", { class: "live-orders-middle", y1: TOP, y2: FLOOR + 5 });
  const tick = (odds, name) => ({
    odds,
    mark: make("line", { class: "live-axis", y1: FLOOR, y2: FLOOR + 5 }),
    name: text({ y: FLOOR + 17, "text-anchor": "middle" }, name),
  });
  const ticks = [
    tick(-Math.log(10), "10 ×"),
    tick(0, _("equal")),
    tick(Math.log(10), "10 ×"),
    tick(Math.log(100), "100 ×"),
  ];
  const ends = [
    text({ y: FLOOR + 34, "text-anchor": "start" }, "← Tom is likelier"),
    text({ y: FLOOR + 34, "text-anchor": "end" }, "Mary is likelier →"),
  ];
  const dots = ORDERS.map((_, s) =>
    make("circle", { class: "live-orders-dot", cy: heightOf(s), r: 3.2 })
  );
  svg.append(...lines, ...rows, middle, ...ticks.flatMap(({ mark, name }) => [mark, name]));
  svg.append(...ends, ...dots);
  const moves = dotMoves(parts, read);
  const own = make("circle", { r: 4 });
  const ring = make("g", {}, own, make("circle", { class: "live-orders-ring", r: 9 }));
  const move = handle(
    svg,
    "the dot of your sentence",
    "live-orders-own",
    ring,
    moves.drag,
    moves.step,
  );
  svg.addEventListener("pointermove", (event) => moves.touch(placeIn(svg, event), 9));
  svg.addEventListener("click", (event) => moves.touch(placeIn(svg, event), 24));
  return { svg, rows, lines, middle, ticks, ends, dots, own, move };
}

/** What a pointer and the arrow keys do: they take the order of another dot onto the cards. */
function dotMoves(parts, read) {
  const take = (s) => {
    if (ORDERS[s] !== read().sentence) parts.tiles.lay(ORDERS[s]);
  };
  const nearest = (x, y) => {
    const toX = axisOf(parts.width);
    const far = parts.result.odds.map((odds, s) => Math.hypot(toX(odds) - x, heightOf(s) - y));
    const s = far.indexOf(Math.min(...far));
    return [s, far[s]];
  };
  const drag = (x, y) => take(nearest(x, y)[0]);
  const touch = ({ x, y }, reach) => {
    const [s, far] = nearest(x, y);
    if (far < reach) take(s);
  };
  const step = (dx, dy) => {
    const { odds } = parts.result;
    const ranked = range(ORDERS.length).sort((a, b) => odds[a] - odds[b]);
    const at = ranked.indexOf(ORDERS.indexOf(read().sentence));
    take(ranked[clamp(at + (dx || dy), 0, ORDERS.length - 1)]);
  };
  return { drag, touch, step };
}

// ---- draw ----------------------------------------------------------------------------------------

/**
 * Writes a state and what `compute` returns for it into the elements. `hidden` is true until the
 * reader has answered the question.
 */
function draw(parts, state, result, { hidden }) {
  parts.result = result;
  parts.tiles.put(state.sentence.split(" "));
  parts.knob.put(state.alpha);
  set(parts.ahead, { "aria-pressed": state.ahead });
  write(parts.both, isOrderless(state) ? "Give the order back" : "Take the order away");
  drawBars(parts.bars, result, hidden);
  drawAxis(parts, state);
  drawDots(parts, state, result, hidden);
}

/** A next word as a reader can read it: what continues a word begins with three dots. */
function nameOf(word) {
  if (word === "\n") return "(new line)";
  if (word === " ") return _("(space)");
  if (word.startsWith(" ")) return word.slice(1);
  return /^\w\w/.test(word) ? `…${word}` : word;
}

const hueOf = (name) => HUES_OF[name] ?? "live-ink";

function drawBars(bars, { words, percent, bounds }, hidden) {
  bars.forEach(({ row, word, bar, below, number }, i) => {
    const name = nameOf(words[i]);
    const isBound = bounds && !hidden && NAMES.includes(words[i]);
    const digits = isBound || percent[i] < 1 ? 1 : 0;
    const share = hidden ? 0 : Math.min(1, percent[i] / MANY);
    const hasWon = i === 0 && name === "Tom";
    write(word, hidden ? "?" : name);
    write(below, isBound ? "< " : "");
    write(number, hidden ? "?" : show(percent[i], digits));
    set(row, { class: `live-orders-guess ${hidden ? "live-ink" : hueOf(name)}` });
    row.classList.toggle("live-orders-bound", isBound);
    row.classList.toggle("live-orders-won", hasWon && !hidden);
    set(bar, { style: `--share: ${share.toFixed(3)}` });
  });
}

function drawAxis({ width, dots: { svg, rows, lines, middle, ticks, ends } }, { sentence }) {
  const x = axisOf(width);
  set(svg, { viewBox: `0 0 ${width} ${FLOOR + 38}` });
  lines.forEach((line) => set(line, { x2: width }));
  set(middle, { x1: x(0), x2: x(0) });
  ticks.forEach(({ odds, mark, name }) => {
    set(mark, { x1: x(odds), x2: x(odds) });
    set(name, { x: x(odds) });
  });
  set(ends[0], { x: 2 });
  set(ends[1], { x: width - 2 });
  rows.forEach((row, k) =>
    row.classList.toggle("live-orders-here", sentence.startsWith(`${START[k]} `))
  );
}

function drawDots({ width, dots: { dots, own, move } }, { sentence }, { odds, own: mine }, hidden) {
  const x = axisOf(width);
  const hue = (odds) => (odds > 0 ? "live-blue" : "live-orange");
  dots.forEach((dot, s) =>
    set(dot, {
      class: `live-orders-dot ${hue(odds[s])}`,
      cx: x(odds[s]).toFixed(2),
      visibility: hidden ? "hidden" : null,
    })
  );
  set(own, { class: hue(mine), visibility: hidden ? "hidden" : null });
  const s = ORDERS.indexOf(sentence);
  const now = 1 + odds.filter((one) => one < mine).length;
  const said = hidden ? _("hidden") : `${sentence}: ${likelier(mine)}`;
  move([hidden ? x(0) : x(mine), heightOf(s)], said, { now, min: 1, max: ORDERS.length });
}

// ---- speak ---------------------------------------------------------------------------------------

const timesOf = (odds) => show(timesAt(odds), timesAt(odds) < 10 ? 1 : 0);

const nameAt = (odds) => (odds > 0 ? "Mary" : "Tom");

/** Which name is how many times as likely. */
const likelier = (odds) =>
  timesAt(odds) < 1.05
    ? `${nameAt(odds)} is as likely as ${nameAt(-odds)}`
    : `${nameAt(odds)} is ${timesOf(odds)} times as likely as ${nameAt(-odds)}`;

/** What the figure says: what this order and all say, what to try next, and what has been found. */
function speak(state, result, { hidden }) {
  if (hidden) return "The answers are hidden until you have answered.";
  const { own, odds, words } = result;
  const once = _(`${likelier(own)}.`);
  if (result.range < SAME) {
    return [
      paragraph(nextStep(state), once),
      "So it is after all 120 orders: whatever you drag, no bar moves.",
    ];
  }
  const least = Math.min(...odds);
  const most = Math.max(...odds);
  const all = `The 120 orders reach from ${nameAt(least)} ${timesOf(least)} times as likely to ${
    nameAt(most)
  } ${timesOf(most)} times.`;
  const isFound = isTold(state) && words[0] === NAMES[0];
  return [
    paragraph(once, all, nextStep(state)),
    isFound ? "It says Tom! Now take the order away." : "",
  ];
}

/** What to try next, or why the answers are as they are. */
function nextStep({ alpha, ahead }) {
  if (isOrderless({ alpha, ahead })) {
    return "Nothing tells it the order any more. It never learned to guess like that, so its words are odd.";
  }
  if (ahead) {
    return "It never learned to see the words that follow, so its guesses are odd. Now pull the slider to 0.";
  }
  if (alpha === 0) {
    return "It still knows some order: it reads from left to right, and each word has seen only those before it. Let each word see all words.";
  }
  return alpha < 1 ? "Pull the slider to 0." : "";
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
