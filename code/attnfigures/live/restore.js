// Shuffle, run, put back: four cards in an order, a step on each of them, and two lists that may bring them home.
const N = 4, HOME = range(N);
const compose = (outer, inner) => outer.map((i) => inner[i]); // as in X[inner][outer]
const atHome = (cards) => cards.filter((j, i) => j === i).length;

const LISTS = ordersOf(HOME), placeOf = (order) => LISTS.findIndex((list) => String(list) === String(order));

/** P, the cards after both ways to put them back, how many are at home, and the fates of the lists that were tried. */
function compute({ order, tried }) {
  const byList = compose(order, order), byInverse = compose(inverted(order), order);
  const fates = LISTS.map((list, l) => (tried[l] === "1" ? atHome(compose(list, list)) === N : null));
  const count = [fates.filter((fate) => fate !== null).length, fates.filter(Boolean).length];
  return { P: order.map((from) => HOME.map((j) => Number(j === from))), byList, byInverse,
    home: [byList, byInverse].map(atHome), fates, count };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ words, order, tried }) {
  const fits = (word) => [...word].length >= 1 && [...word].length <= 6;
  return words.length === N && words.every(fits) && isPermutation(order, N) && /^[01]{24}$/.test(tried);
}
const shape = ({ words }) => words;

// ---- drawing: four columns of cards, a row for each thing that happens to them --------------------------------------
const LEFT = 78, PITCH = 66, WIDE = 60, HIGH = 30;
const ROWS = { X: 2, shuffled: 80, Y: 134, byList: 186, byInverse: 230 }, BOTTOM = 268;
const SIZE = { width: WIDE, height: HIGH, rx: 4 };
const middle = (i) => LEFT + PITCH * i + WIDE / 2;
const text = (look, x, y, ...words) => make("text", { class: look, x, y }, words);

/** Card j, with its middle in 0: its number, which is its home, and a word. */
const card = (j, word) => make("g", { class: `live-card ${HUES[j]}` },
  make("rect", { x: -WIDE / 2, y: -HIGH / 2, ...SIZE }),
  make("text", { x: 3, y: 5 }, word), make("text", { class: "live-owner", x: 7 - WIDE / 2, y: -4 }, String(j)));

/** Moves an element to a point; with `from` it is seen to fly there. */
function fly(element, [x, y], from, duration) {
  const at = ([a, b]) => `translate(${a}px, ${b}px)`;
  set(element, { transform: `translate(${x} ${y})` });
  if (from && !calm() && String(from) !== String([x, y]))
    element.animate({ transform: [at(from), at([x, y])] }, { duration, easing: "ease-in-out" });
}

/** The 24 lists as one group of radio buttons; `choose` receives the number of a list. */
function grid(choose) {
  const dots = (list) => list.map((j, i) => `M${j} ${i}h1v1h-1z`).join("");
  const cells = LISTS.map((list, l) => make("button", { type: "button", role: "radio", class: "live-list",
    onclick: () => choose(l) }, make("svg", { viewBox: "0 0 4 4", "aria-hidden": true },
    make("rect", { width: 4, height: 4, "fill-opacity": 0.12 }), make("path", { d: dots(list) })), list.join(" ")));
  const look = { class: "live-lists live-withheld", role: "radiogroup", "aria-label": "All 24 lists" };
  const element = make("div", look, cells);
  arrows(element, (right, up) => {
    const to = clamp(cells.indexOf(document.activeElement) + right - 6 * up, 0, LISTS.length - 1);
    choose(to);
    cells[to].focus();
  });
  const put = (chosen, fates) => cells.forEach((cell, l) => {
    const fate = fates[l] === null ? null : fates[l] ? "home" : "away";
    const message = { home: "Y[perm] puts the cards back", away: "Y[perm] does not put the cards back" }[fate] || "not tried";
    set(cell, { "data-fate": fate, "aria-checked": l === chosen, tabindex: l === chosen ? 0 : -1,
      "aria-label": `${LISTS[l].join(" ")}: ${message}` });
  });
  return { element, put };
}

function render({ model, el }) {
  const [read, change] = stateOf(model), start = read(), words = spokenAs(model, start.words);
  const capitals = words.map((word) => word.toUpperCase()), row = (name) => ROWS[name] + HIGH / 2;
  const asking = () => el.classList.contains("live-asking");
  const svg = make("svg", { viewBox: `0 0 342 ${BOTTOM}`, role: "group", "aria-label": "Cards and where they go" });
  const name = (at, down, ...lines) =>
    lines.map((line, i) => text("live-row-name", 0, ROWS[at] + down + 13 * i, line));
  const homes = [0, 1].map((k) => make("tspan", { "data-shows": `home ${k}` }));
  const counts = homes.map((span, k) =>
    text("live-home", 0, k ? ROWS.byInverse + 34 : ROWS.byList + 27, ...fillIn("{home} of 4 home", { home: span })));
  const slot = (x, y) => make("rect", { class: "live-slot", x: x - WIDE / 2, y: y - HIGH / 2, ...SIZE });
  const put = (j, list, at) => fly(list[j], [middle(j), row(at)]);

  // the cards at home; the arrows; the cards to drag; the same cards after the step; both ways to put them back
  const still = HOME.map((j) => card(j, words[j])), after = HOME.map((j) => card(j, capitals[j]));
  const routes = HOME.map((j) => make("path", { class: `live-route ${HUES[j]}` }));
  const steps = HOME.map((i) => make("path", { class: "live-route live-ink",
    d: `M${middle(i)} ${ROWS.shuffled + HIGH + 3}V${ROWS.Y - 4}m-4 -5l4 5l4 -5` }));
  const landing = ["byList", "byInverse"].map((at) => [at, HOME.map((j) => card(j, capitals[j])),
    HOME.map((i) => [slot(middle(i), row(at)), text("live-unknown", middle(i), row(at) + 5, "?")])]);
  svg.append(...name("X", 19, "X"), ...name("shuffled", 19, "X[perm]"), ...name("Y", 13, "Y"),
    text("live-step-name", 0, ROWS.Y + 27, "in capitals"), ...name("byList", 13, "Y[perm]"),
    ...name("byInverse", 7, "Y[argsort", "(perm)]"), ...still, ...routes, ...steps, ...counts, ...after,
    ...landing.flatMap(([, , slots]) => slots.flat()));
  still.forEach((_, j) => put(j, still, "X"));
  const moveTo = (j, to) => {
    const list = read().order.filter((x) => x !== j);
    list.splice(clamp(to, 0, N - 1), 0, j);
    if (String(list) !== String(read().order)) change({ order: list });
  };
  const held = HOME.map((j) => handle(svg, `card ${j}, ${words[j]}`, HUES[j], card(j, words[j]),
    (x) => moveTo(j, Math.round((x - middle(0)) / PITCH)),
    (right, up) => moveTo(j, read().order.indexOf(j) + right - up)));
  const handles = [...svg.querySelectorAll(".live-handle")];
  const flying = landing.map(([, cards]) => make("g", { class: "live-landing" }, cards));
  svg.append(...flying);

  const attempt = (l, more = {}) => {
    const { tried } = read();
    change({ ...more, tried: `${tried.slice(0, l)}1${tried.slice(l + 1)}` });
  };
  const run = () => attempt(placeOf(read().order));
  const lists = grid((l) => attempt(l, { order: LISTS[l] })), P = matrix("P", "P");
  const sign = (fate, ...words) => make("span", {}, make("span", { class: "live-list", "data-fate": fate }), words);
  const signs = make("div", { class: "live-signs live-withheld" }, sign("home", "Y[perm] brings all home"),
    sign("away", "it does not"), sign(null, "not tried"));
  const every = button("Try every list", () => { // who has not bet is not told
    if (!bets()) write(says, "First your bet, a whole number from 0 to 24: for how many lists does Y[perm] bring all home?");
    else change({ tried: "1".repeat(24) });
  });
  const bet = make("input", { type: "number", id: newId(), class: "live-number", min: 0, max: 24, oninput: () => update() });
  const bets = () => bet.value !== "" && bet.checkValidity();
  const wager = set(control("your bet: green lists out of 24", bet, bet.id, every), { class: "live-control live-withheld" });
  const buttons = make("div", { class: "live-controls" },
    set(button("Run and put back", run), { class: "live-button live-withheld" }), wager,
    button("Back to start", () => change({ ...start, tried: read().tried }))); // what was tried is kept
  const hint = "Drag the cards of X[perm], then run.";
  const says = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, hint), make("div", { class: "live-tidy" }, svg,
    make("div", { class: "live-side" }, P.element, lists.element)), signs, buttons, says);
  const speak = speaker(el);
  let was = null; // the order that is drawn
  predictFirst(el, model.get("ask"), run);

  function update() {
    const state = read(), { order } = state, result = compute(state);
    const revealed = result.fates[placeOf(order)] !== null && !asking();
    order.forEach((j, i) => {
      const from = middle(j), to = middle(i), before = was && was.indexOf(j);
      held[j]([to, row("shuffled")], `position ${i}`, { now: i, min: 0, max: N - 1 });
      fly(handles[j], [to, row("shuffled")], was && [middle(before), row("shuffled")], 200);
      fly(after[j], [to, row("Y")], was && [middle(before), row("Y")], 200);
      const y1 = ROWS.X + HIGH + 2, y2 = ROWS.shuffled - 9, bend = (y1 + y2) / 2;
      set(routes[j], { d: `M${from} ${y1}C${from} ${bend} ${to} ${bend} ${to} ${y2}v5m-4 -5l4 5l4 -5` });
    });
    landing.forEach(([at, cards, slots], k) => {
      set(flying[k], { visibility: revealed ? null : "hidden" });
      slots.flat().forEach((part) => set(part, { visibility: revealed ? "hidden" : null }));
      set(counts[k], { visibility: revealed ? null : "hidden" });
      write(homes[k], String(result.home[k]));
      result[at].forEach((j, i) => {
        cards[j].classList.toggle("live-astray", i !== j);
        fly(cards[j], [middle(i), row(at)], revealed && [middle(order.indexOf(j)), row("Y")], 700);
      });
    });
    was = order;
    P.put(result.P, HOME, HOME, { digits: 0, keys: order });
    [...P.body.children].forEach((tr, i) => { tr.className = HUES[order[i]]; });
    write(P.caption, `P of ${order.join(" ")}`);
    lists.put(placeOf(order), asking() ? result.fates.map(() => null) : result.fates);
    write(says, revealed ? score(result.count, bets() ? bet.value : null) : asking() ? "Where the cards land is hidden until you have answered."
      : "This list has not been tried: run it.");
    speak(revealed ? `${landed(result.home)} ${says.textContent}` : `${order.join(" ")}. ${says.textContent}`);
  }
  model.on("change:state", update);
  update();
}

/** What the figure says in words: how many lists were put back, and, only spoken, how many cards came home. */
const score = ([tried, back], bet) => (tried === LISTS.length
  ? paragraph(bet === null ? `All 24 lists are tried: Y[perm] brings all home for ${back}.`
    : `All 24 lists are tried: Y[perm] brings all home for ${back}, your bet was ${Number(bet)}.`, "What happens if you apply a green list twice?")
  : tried === 1 ? `Y[perm] has brought all home for ${back} of 1 list tried.` : `Y[perm] has brought all home for ${back} of ${tried} lists tried.`);
const landed = ([one, other]) => `Y[perm] brings ${one} of 4 cards home, Y[argsort(perm)] ${other} of 4.`;

export default { initialize, render, compute, valid, shape };
