// One number of attention, traced back: the tables Q, K, V, S, A, Y, and the sum behind the chosen cell.
const REACH = 9, STAGES = ["S", "A", "Y"];
const MASKS = { none: () => true, causal: (i, j) => j <= i };
const SCALES = { sqrt: (d) => 1 / Math.sqrt(d), none: () => 1 };

/** S, A, Y, which query may look at which key, and the terms whose sum is behind the value of the chosen cell. */
function compute({ Q, K, V, mask, scale, stage, cell: [i, j] }) {
  const factor = SCALES[scale](Q[0].length), add = (list) => list.reduce((a, b) => a + b, 0);
  const S = matmul(Q, transpose(K)).map((row) => row.map((x) => factor * x));
  const allowed = S.map((row, r) => row.map((_, c) => MASKS[mask](r, c)));
  const A = S.map((row, r) => softmax(row.map((s, c) => (allowed[r][c] ? s : -Infinity))));
  const Y = matmul(A, V), value = { S, A, Y }[stage][i][j];
  const terms = stage === "S" ? Q[i].map((x, c) => x * K[j][c])
    : stage === "A" ? S[i].map((s, l) => (allowed[i][l] ? Math.exp(s) : 0)) : A[i].map((a, l) => a * V[l][j]);
  const total = { S: factor * add(terms), A: terms[j] / add(terms), Y: add(terms) }[stage];
  return { S, A, Y, allowed, terms, value, sumGap: Math.abs(value - total), rowGap: Math.abs(add(A[i]) - 1) };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ Q, K, V, mask, scale, stage, cell }) {
  const table = (M) => M.length > 0 && M.length < 5 && M[0].length > 0 && M[0].length < 4
    && M.every((row) => row.length === M[0].length && row.every((x) => Math.abs(x) <= REACH));
  const below = (x, n) => Number.isInteger(x) && x >= 0 && x < n;
  return [Q, K, V].every(table) && K[0].length === Q[0].length && V.length === K.length && Object.hasOwn(MASKS, mask)
    && Object.hasOwn(SCALES, scale) && STAGES.includes(stage) && cell.length === 2 && below(cell[0], Q.length)
    && below(cell[1], stage === "Y" ? V[0].length : K.length);
}

const shape = ({ Q, K, V }) => [Q, K, V].map((M) => [M.length, M[0].length]);

/** How row r, column c of a table takes part in the chosen number: in its "row", its "column", or "behind" these. */
function part({ stage, cell: [i, j] }, allowed, name, r, c) {
  if (stage === "S") return name === "Q" && r === i ? "row" : name === "K" && r === j ? "column" : null;
  if (stage === "Y" && name === "V") return c === j ? "column" : null;
  if (name === (stage === "A" ? "S" : "A")) return r === i ? "row" : null;
  if (name === "Q" || (name === "S" && stage === "Y")) return r === i ? "behind" : null;
  return name === "K" && allowed[i][r] ? "behind" : null;
}

// ---- numbers as text -----------------------------------------------------------------------------------------------
const index = (...places) => places.map((x) => "₁₂₃₄"[x]).join("");
const plain = (x) => String(hundredth(x) + 0).replace("-", "−"), factor = (x) => (x < 0 ? `(${plain(x)})` : plain(x));
const short = (x) => show(x, Math.abs(x) < 10 ? 2 : Math.abs(x) < 100 ? 1 : 0);
const shown = (stage, x) => (stage !== "A" ? short(x) : x === 0 || x === 1 ? String(x) : show(x, 3));
const power = (x) => (x < 0.01 ? tiny(x) : x < 1e4 ? show(x) : x.toExponential(1));
const relation = (exact) => (exact ? " = " : " ≈ "), isNumber = (text, x) => Number(text.replace("−", "-")) === x;

/** The sum behind the chosen number as two lines: in letters, and in numbers. The hues are those of the tables. */
function sum({ Q, K, V, scale, stage, cell: [i, j] }, { S, A, allowed, terms, value, sumGap }, hidden) {
  const name = `${stage}${index(i, j)}`, d = Q[0].length, root = scale === "sqrt" ? ` / √${d}` : "";
  if (stage === "S" && !allowed[i][j]) return [[`${name} = −∞`], []];
  const row = (text, shows = null) => make("b", { class: "live-hued live-blue", "data-shows": shows }, text);
  const column = (text) => make("b", { class: "live-hued live-orange" }, text);
  const e = (text) => ["e", make("sup", {}, text)];
  const each = (f) => terms.map((_, l) => [l ? " + " : "", f(l)]);
  const letters = {
    S: () => [row(`q${index(i)}`), " · ", column(`k${index(j)}`), root],
    A: () => [e(`S${index(i, j)}`), " / (", each((l) => row(e(`S${index(i, l)}`))), ")"],
    Y: () => each((l) => [row(`A${index(i, l)}`), " · ", column(`V${index(l, j)}`)]),
  }[stage]();
  if (hidden) return [[`${name} = `, letters, " = ?"], []];
  const score = (l) => (allowed[i][l] ? short(S[i][l]) : "−∞"), times = (a, b) => [row(a), "·", column(factor(b))];
  const numbers = {
    S: () => [root && "(", each((l) => times(factor(Q[i][l]), K[j][l])), root && `)${root}`],
    A: () => [e(score(j)), " / (", each((l) => row(e(score(l)))), ") ≈ ", power(terms[j]), " / (",
      each((l) => row(power(terms[l]), `terms ${l}`)), ")"],
    Y: () => each((l) => times(shown("A", A[i][l]), V[l][j])),
  }[stage](), result = shown(stage, value), exact = stage === "S" && [...Q[i], ...K[j]].every((x) => hundredth(x) === x);
  return [[`${name} = `, letters], [relation(exact), numbers, sumGap > EXACT ? " ≠ " : relation(isNumber(result, value)),
    make("b", { "data-shows": "value" }, result)]];
}

/** What the figure says in words of the chosen number. */
function sentence({ V, stage, cell: [i, j] }, { allowed, rowGap }) {
  const name = `${stage}${index(i, j)}`, query = `query ${i + 1}`, count = allowed[i].filter(Boolean).length;
  const keys = count === 1 ? "one key" : count === V.length ? `all ${count} keys` : `the ${count} keys it may look at`;
  if (stage !== "Y" && !allowed[i][j]) return `The mask hides key ${j + 1} from ${query}, so the weight is exactly 0.`;
  if (stage === "S") return `${name} needs ${query} and key ${j + 1}, and nothing else.`;
  const row = `row ${i + 1} of`, one = rowGap <= EXACT ? "sums to 1" : "does not sum to 1";
  if (stage === "A") return `${name} needs the whole ${row} S, so ${query} and ${keys}. The ${row} A ${one}.`;
  return `${name} is ${row} A times column ${j + 1} of V. That row came from ${query} and ${keys}.`;
}

/** What a typed number has changed. */
function news({ name, ...changed }) {
  const count = (s) => `${changed[s].flat().filter(Boolean).length} of ${changed[s].flat().length}`;
  return `${name} changes ${count("S")} scores, ${count("A")} weights and ${count("Y")} outputs. They are underlined.`;
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), [[n, d], [m], [, width]] = shape(first);
  const cells = {}, fields = [], now = () => [read(), compute(read())];
  const start = { S: 0, A: m, Y: 2 * m }; // the columns of S, A and Y are counted as one row of columns
  let changed = null, practising = false, solved = false;
  const fresh = () => { solved = false; typed.value = ""; write(reply, ""); };
  const alter = (part, news = null) => { changed = news; fresh(); change(part); };

  // the six tables: each product stands below one of its factors and beside the other
  const closed = ({ allowed }, table, i, j) => table === "S" && !allowed[i][j];
  const typing = (name, i, j) => (x) => {
    const copy = read()[name].map((row) => [...row]);
    copy[i][j] = x;
    const before = now()[1], after = compute({ ...read(), [name]: copy }), differs = (s) => after[s].map((row, r) =>
      row.map((y, c) => !closed(after, s, r, c) && Math.abs(y - before[s][r][c]) > EXACT));
    alter({ [name]: copy }, { name: `${name}${index(i, j)}`, S: differs("S"), A: differs("A"), Y: differs("Y") });
  };
  const table = (name, title, rows, columns) => {
    const height = "KV".includes(name) ? m : n, length = { Q: d, K: d, S: m, A: m }[name] || width;
    const cell = (i, j) => {
      const take = () => { choose(i, start[name] + j); cursor.focus(); };
      if (name in start) return make("td", { class: name === "A" ? "live-cell" : null, onclick: take });
      const input = field(`${name}, row ${i + 1}, column ${j + 1}`, REACH, typing(name, i, j));
      fields.push([input, () => read()[name][i][j]]);
      return make("td", {}, input.element);
    };
    cells[name] = range(height).map((i) => range(length).map((j) => cell(i, j)));
    const body = name === "K" ? transpose(cells.K) : cells[name], aside = () => make("td", { class: "live-aside" });
    const head = (text, scope) => make("th", { scope, class: scope === "row" ? "live-aside" : null }, text);
    const top = body[0].map((_, j) => (columns ? head(`${columns}${index(j)}`, "col") : make("td")));
    const lines = body.map((row, i) => make("tr", {}, rows ? head(`${rows}${index(i)}`, "row") : aside(), row));
    return make("table", { class: "live-factor" }, make("caption", {}, title),
      name === "V" ? null : make("thead", {}, make("tr", {}, aside(), top)), make("tbody", {}, lines));
  };
  const law = () => make("p", { class: "live-law" }), lawS = law(), lawA = law();
  const product = (...children) => make("div", { class: "live-product" }, children);
  const cursor = make("div", { class: "live-cursor", tabindex: 0, role: "slider", "aria-label": "chosen number" });
  const tables = make("div", { class: "live-trace" },
    product(lawS, table("K", "keys Kᵀ", null, "k"), table("Q", "queries Q", "q"), table("S", "scores S", "q", "k")),
    product(lawA, table("V", "values V", "v"), table("A", "weights A", "q", "k"), table("Y", "output Y", "y")), cursor);

  // the cursor: one frame that goes through S, A and Y, by keys, by a click, or dragged to the nearest cell
  const last = 2 * m + width - 1, place = ({ stage, cell }) => start[stage] + cell[1];
  const named = (column) => STAGES.findLast((stage) => start[stage] <= column);
  const choose = (row, column) => {
    const c = clamp(column, 0, last), stage = named(c);
    cursor.classList.add("live-travels");
    alter({ stage, cell: [clamp(row, 0, n - 1), c - start[stage]] });
  };
  const boxOf = (i, c) => cells[named(c)][i][c - start[named(c)]].getBoundingClientRect();
  arrows(cursor, (dx, dy) => choose(read().cell[0] - dy, place(read()) + dx));
  draggable(cursor, { getScreenCTM: () => new DOMMatrix() }, (x, y) => {
    const away = ({ left, right, top, bottom }) => Math.hypot(left + right - 2 * x, top + bottom - 2 * y);
    const all = range(last + 1).flatMap((c) => range(n).map((i) => [away(boxOf(i, c)), i, c]));
    choose(...all.reduce((best, one) => (one[0] < best[0] ? one : best)).slice(1));
  });
  const settle = () => {
    const state = read(), box = boxOf(state.cell[0], place(state)), origin = tables.getBoundingClientRect();
    const transform = `translate(${box.x - origin.x}px, ${box.y - origin.y}px)`;
    Object.assign(cursor.style, { width: `${box.width}px`, height: `${box.height}px`, transform });
  };
  new ResizeObserver(settle).observe(tables);

  // controls, and practice: a blank that goes from S to A to Y, and then to another row
  const masks = choice("mask", { none: "none", causal: "causal" }, (mask) => alter({ mask }));
  const scales = choice("scale", { sqrt: "1/√d", none: "none" }, (scale) => alter({ scale }));
  const type = toggle("Type the numbers", (pressed) => fields.forEach(([input]) => input.open(pressed)));
  const practise = toggle("Practise", (pressed) => { practising = pressed; fresh(); update(); });
  const typed = make("input", { type: "number", step: "any", class: "live-number", id: newId() });
  const request = make("label", { for: typed.id }), reply = make("p", { class: "live-why", role: "status" });
  const solve = (text) => { solved = true; update(); write(reply, `${text}The sum is below.`); next.focus(); };
  const answer = (event) => {
    event.preventDefault();
    if (Math.abs(typed.valueAsNumber - now()[1].value) <= 0.01 + EXACT) solve("✓ Right. ");
    else write(reply, typed.value === "" ? "Type a number first." : "✗ Not yet. Put the numbers into the line below the tables.");
  };
  const check = button("Check", answer), skip = button("Show the sum", () => solve(""));
  const next = button("Next number", () => {
    const [{ stage, cell: [i, j] }, { allowed }] = now(), row = (i + 1) % n, key = (j + 1) % m;
    if (stage === "Y") choose(row, allowed[row][key] ? key : 0);
    else choose(i, stage === "S" ? m + j : 2 * m + j); // Y may have fewer columns: choose takes the last
    typed.focus();
  });
  const exercise = make("form", { class: "live-ask", onsubmit: answer }, request, typed, check, skip, next, reply);
  const back = button("Back to start", () => alter(first));
  const lines = [make("p"), make("p")], text = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Choose any number in S, A or Y, and see what it is made of."),
    make("div", { class: "live-controls" }, masks.element, scales.element, type, practise, back), exercise, tables,
    make("div", { class: "live-sum" }, lines), text);
  const speak = speaker(el);
  predictFirst(el, model.get("ask"), update);

  function update() {
    const [state, found] = now(), { stage, cell: [i, j] } = state, name = `${stage}${index(i, j)}`;
    const asking = el.matches(".live-asking"), asked = practising && !solved && !closed(found, stage, i, j);
    for (const [input, value] of fields) input.put(value());
    for (const table in cells) cells[table].forEach((row, r) => row.forEach((cell, c) => {
      set(cell, { "data-part": part(state, found.allowed, table, r, c) });
      if (!(table in start)) return;
      const unseen = asking || (asked && table === stage && r === i && c === j), infinite = closed(found, table, r, c);
      set(cell, { "data-shows": unseen || infinite ? null : `${table} ${r} ${c}` });
      write(cell, unseen ? "?" : infinite ? "−∞" : shown(table, found[table][r][c]));
      if (table === "A") cell.style.setProperty("--much", unseen ? 0 : found.A[r][c].toFixed(2));
      cell.toggleAttribute("data-changed", Boolean(changed?.[table][r][c]));
    }));
    write(lawS, `S = QKᵀ${state.scale === "sqrt" ? ` / √${d}` : ""}`);
    write(lawA, `A = softmax of each row of S${state.mask === "causal" ? ", masked" : ""}\nY = AV`);
    sum(state, found, asking || asked).forEach((parts, l) => lines[l].replaceChildren(...parts.flat(Infinity)));
    masks.put(state.mask);
    scales.put(state.scale);
    settle();
    set(cursor, { "aria-valuenow": place(state), "aria-valuemin": 0, "aria-valuemax": last,
      "aria-valuetext": `${stage}, row ${i + 1}, column ${j + 1}: ${cells[stage][i][j].textContent}` });
    exercise.hidden = !practising || asking;
    [check, skip, typed].forEach((part) => { part.hidden = !asked; });
    next.hidden = asked;
    write(request, asked ? `What is ${name}?` : name);
    const words = changed ? news(changed) : sentence(state, found);
    write(text, asking ? "S, A and Y are hidden until you have answered." : words);
    speak(text.textContent);
  }
  model.on("change:state", update);
  update();
}

export default { initialize, render, compute, valid, shape };
