// Move rows and columns: a table of scores in another order of queries and of keys, and where its diagonal goes.
const N = 4, SCORES = range(N).map((i) => range(N).map((j) => N * i + j));

const ORDERS = ordersOf(range(N));
const matrixOf = (order) => order.map((from) => range(N).map((j) => Number(j === from)));
const sameAt = (a, b) => a.filter((x, i) => x === b[i]).length;

/** P S Rᵀ by its indices, how far it is from the product of matrices, and what is on the diagonal. */
function compute({ rows, columns }) {
  const [P, R] = [matrixOf(rows), matrixOf(columns)], moved = rows.map((i) => columns.map((j) => SCORES[i][j]));
  const diagonal = range(N).map((i) => SCORES[i][i]), home = range(N).filter((i) => diagonal.includes(moved[i][i])).length;
  const turned = matmul(P, transpose(R)), trace = range(N).reduce((sum, i) => sum + turned[i][i], 0);
  const ways = [range(N + 1).map((k) => ORDERS.filter((other) => sameAt(rows, other) === k).length)];
  return { moved, productGap: largestDifference(moved, matmul(matmul(P, SCORES), transpose(R))), home, trace,
    traceGap: Math.abs(home - trace), ways };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ rows, columns }) => isPermutation(rows, N) && isPermutation(columns, N);

const at = (i) => 62 + 46 * i, placeAt = (x) => clamp(Math.round((x - 62) / 46), 0, N - 1);
const text = (x, y, words) => make("text", { class: "live-label live-conjugation-text", x, y, "text-anchor": "middle" }, words);

/** The entry (i, j) of S, with its middle in 0: its tint is its row, the bar its column, a frame the old diagonal. */
const entry = (i, j) => make("g", { class: "live-conjugation-entry" },
  make("rect", { class: `live-conjugation-row ${HUES[i]}`, x: -21, y: -21, width: 42, height: 42 }),
  make("rect", { class: `live-conjugation-bar ${HUES[j]}`, x: -21, y: 15, width: 42, height: 6 }),
  i === j ? make("rect", { class: "live-conjugation-frame", x: -19, y: -19, width: 38, height: 38 }) : null, text(0, 5, `${i}${j}`));

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const entries = range(N).map((i) => range(N).map((j) => entry(i, j)));
  const svg = make("svg", { viewBox: "0 0 224 224", role: "group", class: "live-conjugation", "aria-label": "Rows and columns of the scores" },
    entries, range(N).map((i) => make("rect", { class: "live-conjugation-diagonal", x: at(i) - 23, y: at(i) - 23, width: 46, height: 46 })));

  // the numbers of rows and columns are handles
  const moveTo = (part, k, to) => {
    const order = read()[part], from = order.indexOf(k), there = clamp(to, 0, N - 1);
    if (there !== from) change({ [part]: shifted(order, from, there) });
  };
  const tag = (k) => make("g", {}, make("rect", { class: "live-conjugation-tag", x: -13, y: -13, width: 26, height: 26, rx: 4 }), text(0, 5, String(k)));
  const handles = { rows: [], columns: [] };
  for (const k of range(N)) {
    handles.rows.push(handle(svg, `row ${k}`, HUES[k], tag(k), (_, y) => moveTo("rows", k, placeAt(y)),
      (dx, dy) => moveTo("rows", k, read().rows.indexOf(k) + dx - dy)));
    handles.columns.push(handle(svg, `column ${k}`, HUES[k], tag(k), (x) => moveTo("columns", k, placeAt(x)),
      (dx, dy) => moveTo("columns", k, read().columns.indexOf(k) + dx - dy)));
  }

  const lists = [["rows", _("P: rows")], ["columns", _("R: columns")]].map(([part, name]) => [make("b"), part, name]);
  const home = make("b", { "data-shows": "home" }), ways = matrix("Column orders with k frames on the diagonal", "ways");
  const laws = make("ul", { class: "live-verdicts" }), message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Drag the numbers of the columns. How many framed entries can you bring to the diagonal: one, two, three, four?"),
    make("div", { class: "live-planes live-lean" }, make("div", { class: "live-plane live-conjugation-plane" }, svg),
      make("div", { class: "live-reading live-conjugation-reading" }, lists.map(([list, , name]) => make("p", {}, `${name} = `, list)),
        make("p", {}, fillIn("framed entries on the diagonal: {home} of 4", { home })), ways.element)),
    make("div", { class: "live-controls" }, button("Columns like the rows", () => change({ columns: read().rows })),
      button("Back to start", () => change(first))),
    laws, message);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), { rows, columns } = state, result = compute(state), hidden = el.classList.contains("live-asking");
    rows.forEach((i, y) => columns.forEach((j, x) => set(entries[i][j], { style: `transform: translate(${at(x)}px, ${at(y)}px)` })));
    for (const k of range(N)) {
      const [y, x] = [rows.indexOf(k), columns.indexOf(k)];
      handles.rows[k]([20, at(y)], `row ${k} at position ${y}`, { now: y, min: 0, max: N - 1 });
      handles.columns[k]([at(x), 20], `column ${k} at position ${x}`, { now: x, min: 0, max: N - 1 });
    }
    lists.forEach(([list, part]) => write(list, `[${state[part].join(", ")}]`));
    write(home, hidden ? "?" : String(result.home));
    ways.element.hidden = hidden;
    ways.put(result.ways, [_("orders")], range(N + 1).map(String), { digits: 0, changed: (_, k) => k === result.home });
    laws.replaceChildren(...(hidden ? [] : [verdict("S[rows][:, columns]", "P S Rᵀ", result.productGap),
      verdict(String(result.home), "the trace of P Rᵀ", result.traceGap)]));
    write(message, hidden ? "What is on the diagonal is counted when you have answered." : sentence(state, result));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ rows, columns }, { home }) {
  if (home === N) return String(rows) === String(range(N)) ? "Nothing has moved." : "Rows and columns are in the same order: this is P S Pᵀ.";
  const kept = rows.filter((i, place) => columns[place] === i).map((i) => `${i}${i}`);
  return !home ? "The whole old diagonal has left the diagonal." : home === 1 ? `The framed ${kept[0]} is on the diagonal.`
    : `The framed ${listed(kept)} are on the diagonal.`;
}

export default { initialize, render, compute, valid };
