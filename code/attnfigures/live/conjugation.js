// Move rows and columns: a table of scores in another order of queries and of keys, and where its
// diagonal goes.
const N = 4;
const SCORES = range(N).map((i) => range(N).map((j) => N * i + j));

const ORDERS = ordersOf(range(N));
const matrixOf = (order) => order.map((from) => range(N).map((j) => Number(j === from)));
const sameAt = (a, b) => a.filter((x, i) => x === b[i]).length;

/**
 * P S Rᵀ by its indices, how far it is from the product of matrices, and what is on the diagonal.
 */
function compute({ rows, columns }) {
  const [P, R] = [matrixOf(rows), matrixOf(columns)];
  const moved = rows.map((i) => columns.map((j) => SCORES[i][j]));
  const diagonal = range(N).map((i) => SCORES[i][i]);
  const home = range(N).filter((i) => diagonal.includes(moved[i][i])).length;
  const turned = matmul(P, transpose(R));
  const trace = range(N).reduce((sum, i) => sum + turned[i][i], 0);
  const ways = [
    range(N + 1).map((k) => ORDERS.filter((other) => sameAt(rows, other) === k).length),
  ];
  return {
    moved,
    productGap: largestDifference(moved, matmul(matmul(P, SCORES), transpose(R))),
    home,
    trace,
    traceGap: Math.abs(home - trace),
    ways,
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ rows, columns }) => isPermutation(rows, N) && isPermutation(columns, N);

// The orders of the columns beside rows in order, by how many entries they leave on the diagonal.
const ALIKE = range(N + 1).map((k) => ORDERS.filter((order) => sameAt(order, range(N)) === k));

const PILE = 100; // a pile of orders, in a drawing 500 wide
const LIST = 24; // and how high each of them lies on the one below
const FLOOR = 258;
const at = (i) => 62 + 46 * i;
const placeAt = (x) => clamp(Math.round((x - 62) / 46), 0, N - 1);
const text = (x, y, words) =>
  make("text", { class: "live-label live-conjugation-text", x, y, "text-anchor": "middle" }, words);

/**
 * The entry (i, j) of S, with its middle in 0: its tint is its row, the bar its column, a frame the
 * old diagonal.
 */
const entry = (i, j) =>
  make(
    "g",
    { class: "live-conjugation-entry" },
    make("rect", {
      class: `live-conjugation-row ${HUES[i]}`,
      x: -21,
      y: -21,
      width: 42,
      height: 42,
    }),
    make("rect", { class: `live-conjugation-bar ${HUES[j]}`, x: -21, y: 15, width: 42, height: 6 }),
    i === j
      ? make("rect", { class: "live-conjugation-frame", x: -19, y: -19, width: 38, height: 38 })
      : null,
    text(0, 5, `${i}${j}`),
  );

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const grid = buildGrid(read, change);
  const piles = buildPiles();
  const laws = verdictList();
  const message = messageLine();
  el.append(
    hintLine(
      "Drag the column numbers. Frames mark the old diagonal, dashes the one now. Find an order for each pile, if there is one.",
    ),
    div(
      "live-planes live-lean",
      div("live-plane live-conjugation-plane", grid.svg),
      div(
        "live-reading live-conjugation-reading",
        div("live-title", "Orders by their frames on the diagonal"),
        piles.svg,
        laws,
        message,
        div("live-controls", button("Back to start", () => change(first))),
      ),
    ),
  );
  return { grid, piles, laws, message };
}

/** The entries and their diagonal; the numbers of rows and columns are handles. */
function buildGrid(read, change) {
  const entries = range(N).map((i) => range(N).map((j) => entry(i, j)));
  const square = { class: "live-conjugation-diagonal", width: 46, height: 46 };
  const diagonal = range(N).map((i) => make("rect", { ...square, x: at(i) - 23, y: at(i) - 23 }));
  const look = {
    viewBox: "0 0 224 224",
    role: "group",
    class: "live-conjugation",
    "aria-label": "Rows and columns of the scores",
  };
  const svg = make("svg", look, entries, diagonal);
  const moveTo = (part, k, to) => {
    const order = read()[part];
    const from = order.indexOf(k);
    const there = clamp(to, 0, N - 1);
    if (there !== from) change({ [part]: shifted(order, from, there) });
  };
  const row = (k) => {
    const drag = (_x, y) => moveTo("rows", k, placeAt(y));
    const step = (dx, dy) => moveTo("rows", k, read().rows.indexOf(k) + dx - dy);
    return handle(svg, `row ${k}`, HUES[k], tag(k), drag, step);
  };
  const column = (k) => {
    const drag = (x) => moveTo("columns", k, placeAt(x));
    const step = (dx, dy) => moveTo("columns", k, read().columns.indexOf(k) + dx - dy);
    return handle(svg, `column ${k}`, HUES[k], tag(k), drag, step);
  };
  const handles = range(N).map((k) => ({ row: row(k), column: column(k) }));
  return { svg, entries, handles };
}

/**
 * The 24 orders of the columns in piles, by how many frames each brings to the diagonal: those that
 * the reader has had lie below, the places of the others are empty.
 */
function buildPiles() {
  const piles = ALIKE.map((orders, k) => {
    const x = PILE * (k + 0.5);
    const lists = orders.map((_order, i) => {
      const name = text(0, 5, "");
      const box = make("rect", { x: -40, y: -10, width: 80, height: 20, rx: 4 });
      const place = `translate(${x} ${FLOOR - 14 - LIST * i})`;
      const element = make("g", { class: "live-conjugation-list" }, box, name);
      return { element, name, frame: make("g", { transform: place }, element) };
    });
    const [found, all] = [make("tspan"), make("tspan", { "data-shows": `ways 0 ${k}` })];
    const count = text(x, 0, "");
    count.append(...fillIn("{found} of {all}", { found, all }));
    const name = text(x, FLOOR + 20, String(k));
    return { lists, found, all, count, name };
  });
  const parts = piles.flatMap(({ lists, count, name }) => [
    ...lists.map(({ frame }) => frame),
    count,
    name,
  ]);
  const line = make("line", { class: "live-axis", x1: 4, x2: 496, y1: FLOOR, y2: FLOOR });
  const look = { viewBox: "0 0 500 284", role: "img", class: "live-conjugation-piles" };
  return { svg: make("svg", look, line, parts), piles, seen: new Set() };
}

/** The number of a row or a column, in a box. */
function tag(k) {
  const look = { class: "live-conjugation-tag", x: -13, y: -13, width: 26, height: 26, rx: 4 };
  return make("g", {}, make("rect", look), text(0, 5, String(k)));
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ grid, piles, laws }, state, result, { hidden }) {
  drawGrid(grid, state);
  drawPiles(piles, state, result, hidden);
  laws.replaceChildren(...lawsOf(result));
  laws.toggleAttribute("data-away", hidden);
}

/**
 * Lays the order that is there onto its pile; the empty places show once the reader has answered. The
 * pile depends only on where the columns lie beside the rows: when rows move, an order that was found
 * stays on its pile, and the columns that it now stands for are written on it.
 */
function drawPiles({ svg, piles, seen }, { rows, columns }, { ways }, hidden) {
  const here = String(columns.map((j) => rows.indexOf(j)));
  const fresh = !seen.has(here);
  seen.add(here);
  const counts = piles.map(({ lists, found, all, count }, k) => {
    const alike = ALIKE[k].map(String);
    const inTurn = [...seen].filter((order) => alike.includes(order));
    lists.forEach((list, i) => drawList(list, rows, inTurn[i], inTurn[i] === here, hidden));
    if (fresh && inTurn.at(-1) === here) fall(lists[inTurn.length - 1].element);
    const number = hidden ? "?" : String(ways[0][k]);
    const high = hidden ? inTurn.length : ways[0][k];
    write(found, String(inTurn.length));
    write(all, number);
    set(count, { y: FLOOR - 8 - LIST * high });
    return `${inTurn.length}/${number}`;
  });
  const label = `${_("Orders with 0, 1, 2, 3 and 4 frames on the diagonal")}: ${counts.join(", ")}`;
  set(svg, { "aria-label": label });
}

/** Writes the columns of an order, given by the places of their rows, or leaves its place empty. */
function drawList({ element, name }, rows, order, here, hidden) {
  const columns = order?.split(",").map((place) => rows[place]);
  write(name, columns ? columns.join(" ") : "");
  element.classList.toggle("live-seen", Boolean(order));
  element.classList.toggle("live-here", here);
  set(element, { visibility: order || !hidden ? null : "hidden" });
}

/** Lets an order fall onto its pile. */
function fall(element) {
  if (calm()) return;
  const from = { transform: "translateY(-60px)", opacity: 0 };
  element.animate([from, { transform: "none", opacity: 1 }], { duration: 350, easing: "ease-in" });
}

function drawGrid({ entries, handles }, { rows, columns }) {
  const bounds = { min: 0, max: N - 1 };
  rows.forEach((i, y) =>
    columns.forEach((j, x) =>
      set(entries[i][j], { style: `transform: translate(${at(x)}px, ${at(y)}px)` })
    )
  );
  handles.forEach(({ row, column }, k) => {
    const y = rows.indexOf(k);
    const x = columns.indexOf(k);
    row([20, at(y)], `row ${k} at position ${y}`, { now: y, ...bounds });
    column([at(x), 20], `column ${k} at position ${x}`, { now: x, ...bounds });
  });
}

const lawsOf = ({ home, productGap, traceGap }) => [
  verdict("S[rows][:, columns]", "P S Rᵀ", productGap),
  verdict(String(home), "the trace of P Rᵀ", traceGap),
];

// ---- speak ---------------------------------------------------------------------------------------

/**
 * What the figure says in words. Where it returns two texts, the second is what the reader was to
 * find.
 */
function speak(state, { home, ways }, { piles, hidden }) {
  if (hidden) return "How high the piles can grow shows when you have answered.";
  const isBegun = (orders, k) =>
    !ways[0][k] || orders.some((order) => piles.seen.has(String(order)));
  const words = ofDiagonal(state, home);
  if (!ALIKE.every(isBegun)) return words;
  return [words, "No other pile can be begun: three frames leave the fourth only its own place."];
}

/** Which entries of the old diagonal are on the new one. */
function ofDiagonal({ rows, columns }, home) {
  if (home === N) {
    return String(rows) === String(range(N))
      ? "Nothing has moved."
      : "Rows and columns are in the same order: this is P S Pᵀ.";
  }
  if (!home) return "The whole old diagonal has left the diagonal.";
  const kept = rows.filter((i, place) => columns[place] === i).map((i) => `${i}${i}`);
  return home === 1
    ? `The framed ${kept[0]} is on the diagonal.`
    : `The framed ${listed(kept)} are on the diagonal.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
