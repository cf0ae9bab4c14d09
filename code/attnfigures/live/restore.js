// Shuffle, run, put back: four cards in an order, a step on each of them, and two lists that may
// bring them home.
const N = 4;
const HOME = range(N);
const compose = (outer, inner) => outer.map((i) => inner[i]); // as in X[inner][outer]
const atHome = (cards) => cards.filter((j, i) => j === i).length;

const LISTS = ordersOf(HOME);
const placeOf = (order) => LISTS.findIndex((list) => String(list) === String(order));

// ---- compute -------------------------------------------------------------------------------------

/**
 * P, the cards after both ways to put them back, how many are at home, and the fates of the lists
 * that were tried.
 */
function compute({ order, tried }) {
  const byList = compose(order, order);
  const byInverse = compose(inverted(order), order);
  const fates = LISTS.map((list, l) => tried[l] === "1" ? atHome(compose(list, list)) === N : null);
  const count = [fates.filter((fate) => fate !== null).length, fates.filter(Boolean).length];
  return {
    P: order.map((from) => HOME.map((j) => Number(j === from))),
    byList,
    byInverse,
    home: [byList, byInverse].map(atHome),
    fates,
    count,
  };
}

/** Whether the list of a state has been tried. */
const isTried = ({ order }, { fates }) => fates[placeOf(order)] !== null;

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ words, order, tried }) {
  const fits = (word) => [...word].length >= 1 && [...word].length <= 6;
  return (
    words.length === N &&
    words.every(fits) &&
    isPermutation(order, N) &&
    tried.length === LISTS.length &&
    /^[01]+$/.test(tried)
  );
}

/** Of a state, what the elements are built for: with other words all are built anew. */
const shape = ({ words }) => words;

// ---- build ---------------------------------------------------------------------------------------
// The drawing has four columns of cards, and a row for each thing that happens to them.
const LEFT = 78;
const PITCH = 66;
const WIDE = 60;
const HIGH = 30;
const ROWS = { X: 2, shuffled: 80, Y: 134, byList: 186, byInverse: 230 };
const BOTTOM = 268;
const LISTS_IN_A_ROW = 6; // as restore.css lays them out
const SIZE = { width: WIDE, height: HIGH, rx: 4 };
const middle = (i) => LEFT + PITCH * i + WIDE / 2;
const middleOf = (row) => ROWS[row] + HIGH / 2;
const text = (look, x, y, ...words) => make("text", { class: look, x, y }, words);

/** Card j, with its middle in 0: its number, which is its home, and a word. */
const card = (j, word) =>
  make(
    "g",
    { class: `live-card ${HUES[j]}` },
    make("rect", { x: -WIDE / 2, y: -HIGH / 2, ...SIZE }),
    make("text", { x: 3, y: 5 }, word),
    make("text", { class: "live-owner", x: 7 - WIDE / 2, y: -4 }, String(j)),
  );

/** Moves an element to a point; with `from` it is seen to fly there. */
function fly(element, [x, y], from, duration) {
  const at = ([a, b]) => `translate(${a}px, ${b}px)`;
  set(element, { transform: `translate(${x} ${y})` });
  if (from && !calm() && String(from) !== String([x, y])) {
    element.animate({ transform: [at(from), at([x, y])] }, { duration, easing: "ease-in-out" });
  }
}

/** Puts all elements into `el`, and returns those that change. */
function build({ model, el, read, change, first }) {
  const attempt = (l, more = {}) => {
    const { tried } = read();
    change({ ...more, tried: `${tried.slice(0, l)}1${tried.slice(l + 1)}` });
  };
  const run = () => attempt(placeOf(read().order));
  const parts = {
    cards: buildCards(spokenAs(model, first.words), read, change, run),
    lists: buildLists((l) => attempt(l, { order: LISTS[l] })),
    P: matrix("P", "P"),
    says: messageLine(),
    bet: buildBet(read, change, () => parts.update()),
    was: null, // the order that is drawn
    reveal: run, // who has answered sees where the cards land
  };
  const controls = div(
    "live-controls",
    set(button("Run and put back", run), { class: "live-button live-run live-withheld" }),
    parts.bet.every,
    button("Back to start", () => change({ ...first, tried: read().tried })), // what was tried is kept
  );
  el.append(
    parts.bet.element,
    hintLine("Drag the cards of X[perm], then run."),
    div("live-tidy", parts.cards.svg, div("live-side", parts.P.element, parts.lists.element)),
    legend(),
    controls,
    parts.says,
  );
  return parts;
}

/**
 * The cards at home, those to drag, the same after the step, and both ways to put them back, whose
 * places can be pressed to run.
 */
function buildCards(words, read, change, run) {
  const capitals = words.map((word) => word.toUpperCase());
  const routes = HOME.map((j) => make("path", { class: `live-route ${HUES[j]}` }));
  const after = HOME.map((j) => card(j, capitals[j]));
  const ways = [buildWay("byList", 0, 27, capitals), buildWay("byInverse", 1, 34, capitals)];
  const look = {
    viewBox: `0 0 342 ${BOTTOM}`,
    role: "group",
    "aria-label": "Cards and where they go",
  };
  const svg = make(
    "svg",
    look,
    rowNames(),
    cardsAtHome(words),
    routes,
    HOME.map(stepArrow),
    ways.map(({ count }) => count),
    after,
    make("g", { class: "live-slots", onclick: run }, ways.map(({ slots }) => slots)),
  );
  const held = HOME.map((j) => buildHandle(svg, j, words[j], read, change));
  svg.append(...ways.map(({ landing }) => landing));
  return { svg, routes, after, ways, held };
}

/** What stands to the left of each row. */
function rowNames() {
  const name = (row, down, ...lines) =>
    lines.map((line, i) => text("live-row-name", 0, ROWS[row] + down + 13 * i, line));
  return [
    name("X", 19, "X"),
    name("shuffled", 19, "X[perm]"),
    name("Y", 13, "Y"),
    text("live-step-name", 0, ROWS.Y + 27, "in capitals"),
    name("byList", 13, "Y[perm]"),
    name("byInverse", 7, "Y[argsort", "(perm)]"),
  ];
}

/** The cards in the first row, which stay. */
function cardsAtHome(words) {
  const cards = HOME.map((j) => card(j, words[j]));
  cards.forEach((one, j) => fly(one, [middle(j), middleOf("X")]));
  return cards;
}

/** The arrow of the step that is taken on the card in column i. */
const stepArrow = (i) =>
  make("path", {
    class: "live-route live-ink",
    d: `M${middle(i)} ${ROWS.shuffled + HIGH + 3}V${ROWS.Y - 4}m-4 -5l4 5l4 -5`,
  });

/** One way to put the cards back: where they land, what is seen before, and how many come home. */
function buildWay(row, k, down, capitals) {
  const cards = HOME.map((j) => card(j, capitals[j]));
  const slots = HOME.flatMap((i) => unknownCard(middle(i), middleOf(row)));
  const home = make("tspan", { "data-shows": `home ${k}` });
  const count = text("live-home", 0, ROWS[row] + down, fillIn("{home} of 4 home", { home }));
  return { row, cards, slots, home, count, landing: make("g", { class: "live-landing" }, cards) };
}

/** A place in which the card is not known yet. */
const unknownCard = (x, y) => [
  make("rect", { class: "live-slot", x: x - WIDE / 2, y: y - HIGH / 2, ...SIZE }),
  text("live-unknown", x, y + 5, "?"),
];

/** The handle of card j, which takes the others along its row. */
function buildHandle(svg, j, word, read, change) {
  const moveTo = (to) => {
    const { order } = read();
    const moved = shifted(order, order.indexOf(j), clamp(to, 0, N - 1));
    if (String(moved) !== String(order)) change({ order: moved });
  };
  const drag = (x) => moveTo(Math.round((x - middle(0)) / PITCH));
  const step = (right, up) => moveTo(read().order.indexOf(j) + right - up);
  return handle(svg, `card ${j}, ${word}`, HUES[j], card(j, word), drag, step);
}

/** The 24 lists as one group of radio buttons; `choose` receives the number of a list. */
function buildLists(choose) {
  const cells = LISTS.map((list, l) => listButton(list, () => choose(l)));
  const look = {
    class: "live-lists live-withheld",
    role: "radiogroup",
    "aria-label": "All 24 lists",
  };
  const element = make("div", look, cells);
  arrows(element, (right, up) => {
    const by = right - LISTS_IN_A_ROW * up;
    const to = clamp(cells.indexOf(document.activeElement) + by, 0, LISTS.length - 1);
    choose(to);
    cells[to].focus();
  });
  const put = (chosen, fates) =>
    cells.forEach((cell, l) => {
      const fate = fates[l] === null ? "untried" : fates[l] ? "home" : "away";
      set(cell, {
        "data-fate": fate === "untried" ? null : fate,
        "aria-checked": l === chosen,
        tabindex: l === chosen ? 0 : -1,
        "aria-label": `${LISTS[l].join(" ")}: ${FATES[fate]}`,
      });
    });
  return { element, put };
}

const FATES = {
  home: "Y[perm] puts the cards back",
  away: "Y[perm] does not put the cards back",
  untried: "not tried",
};

/** The button of a list: its matrix, and its numbers. */
function listButton(list, onclick) {
  const ones = list.map((j, i) => `M${j} ${i}h1v1h-1z`).join("");
  const picture = make(
    "svg",
    { viewBox: "0 0 4 4", "aria-hidden": true },
    make("rect", { width: 4, height: 4, "fill-opacity": 0.12 }),
    make("path", { d: ones }),
  );
  const look = { type: "button", role: "radio", class: "live-list", onclick };
  return make("button", look, picture, list.join(" "));
}

/** What the looks of the lists mean. */
function legend() {
  const sign = (fate, words) =>
    make("span", {}, make("span", { class: "live-list", "data-fate": fate }), words);
  return div(
    "live-signs live-withheld",
    sign("home", "Y[perm] brings all home"),
    sign("away", "it does not"),
    sign(null, "not tried"),
  );
}

/**
 * The bet, which is asked for first, and the button that tries every list; who has not bet is not
 * told. `number()` is the bet or null; `isMissing(state)` whether the button was pressed in this
 * state without one.
 */
function buildBet(read, change, update) {
  const input = make("input", {
    type: "number",
    id: newId(),
    class: "live-number",
    min: 0,
    max: LISTS.length,
    oninput: update,
  });
  const number = () => (input.value !== "" && input.checkValidity() ? Number(input.value) : null);
  let asked = null; // the state in which a bet was missing
  const isMissing = (state) => state === asked && number() === null;
  const tryAll = () => {
    if (number() !== null) return change({ tried: "1".repeat(LISTS.length) });
    asked = read();
    update();
  };
  const every = set(button("Try every list", tryAll), { class: "live-button live-withheld" });
  const question = "Place your bet: how many of the 24 lists does Y[perm] bring home?";
  const element = div("live-ask live-withheld", control(question, input, input.id));
  return { element, every, number, isMissing };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  const { cards, lists, P, says, bet, was } = parts;
  const { order } = state;
  const revealed = isTried(state, result) && !hidden;
  const flies = state !== parts.drawn; // not where only the bet has changed
  order.forEach((j, i) => drawCard(cards, j, i, was?.indexOf(j)));
  cards.ways.forEach((way, k) => drawWay(way, k, order, result, { revealed, flies }));
  parts.was = order;
  parts.drawn = state;
  drawMatrix(P, result, order);
  lists.put(placeOf(order), hidden ? result.fates.map(() => null) : result.fates);
  write(says, sentenceOf(state, result, bet, hidden));
}

/** Card j in column i, in the rows where it is shuffled; it was in the column `before`. */
function drawCard({ routes, after, held }, j, i, before) {
  const from = middle(j);
  const to = middle(i);
  const came = (row) => before !== undefined && [middle(before), middleOf(row)];
  held[j]([to, middleOf("shuffled")], `position ${i}`, { now: i, min: 0, max: N - 1 });
  fly(held[j].element, [to, middleOf("shuffled")], came("shuffled"), 200);
  fly(after[j], [to, middleOf("Y")], came("Y"), 200);
  const y1 = ROWS.X + HIGH + 2;
  const y2 = ROWS.shuffled - 9;
  const bend = (y1 + y2) / 2;
  set(routes[j], {
    d: `M${from} ${y1}C${from} ${bend} ${to} ${bend} ${to} ${y2}v5m-4 -5l4 5l4 -5`,
  });
}

/** Where one way to put the cards back brings them, once the list was run. */
function drawWay(
  { row, cards, slots, home, count, landing },
  k,
  order,
  result,
  { revealed, flies },
) {
  const ifRevealed = { visibility: revealed ? null : "hidden" };
  set(landing, ifRevealed);
  set(count, ifRevealed);
  for (const slot of slots) set(slot, { visibility: revealed ? "hidden" : null });
  write(home, String(result.home[k]));
  result[row].forEach((j, i) => {
    const from = revealed && flies && [middle(order.indexOf(j)), middleOf("Y")];
    cards[j].classList.toggle("live-astray", i !== j);
    fly(cards[j], [middle(i), middleOf(row)], from, 700);
  });
}

/** The matrix of the order, with a row in the hue of each card. */
function drawMatrix(P, result, order) {
  P.put(result.P, HOME, HOME, { digits: 0, keys: order });
  [...P.body.children].forEach((tr, i) => {
    tr.className = HUES[order[i]];
  });
  write(P.caption, `P of ${order.join(" ")}`);
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says aloud: how many cards came home, or the order, and what it says in words. */
function speak(state, result, { bet, hidden }) {
  const sentence = sentenceOf(state, result, bet, hidden);
  if (!isTried(state, result) || hidden) return `${state.order.join(" ")}. ${sentence}`;
  const [one, other] = result.home;
  const landed = `Y[perm] brings ${one} of 4 cards home, Y[argsort(perm)] ${other} of 4.`;
  return `${landed} ${sentence}`;
}

/** What the figure says in words: what there is to do, or how many lists were put back. */
function sentenceOf(state, result, bet, hidden) {
  const [tried, back] = result.count;
  if (hidden) return "Where the cards land is hidden until you have answered.";
  if (bet.isMissing(state)) {
    return "First your bet, a whole number from 0 to 24: for how many lists does Y[perm] bring all home?";
  }
  if (!isTried(state, result)) return "This list has not been tried: run it.";
  if (tried === LISTS.length) return ofAllLists(back, bet.number());
  return tried === 1
    ? `Y[perm] has brought all home for ${back} of 1 list tried.`
    : `Y[perm] has brought all home for ${back} of ${tried} lists tried.`;
}

/** What is said once every list was tried, beside the bet if there is one. */
const ofAllLists = (back, bet) =>
  paragraph(
    bet === null
      ? `All 24 lists are tried: Y[perm] brings all home for ${back}.`
      : `All 24 lists are tried: Y[perm] brings all home for ${back}, your bet was ${bet}.`,
    "What happens if you apply a green list twice?",
  );

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
