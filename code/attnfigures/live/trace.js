// One number of attention, traced back: the tables Q, K, V, S, A, Y, and the sum behind the chosen cell.
const REACH = 9, STAGES = ["S", "A", "Y"];
const MASKS = { none: () => true, causal: (i, j) => j <= i };
const SCALES = { sqrt: (d) => 1 / Math.sqrt(d), none: () => 1 };

/** S, A, Y, which query may look at which key, and the value of the chosen cell with the terms that it is made of. */
function compute({ Q, K, V, mask, scale, stage, cell: [i, j] }) {
  const factor = SCALES[scale](Q[0].length), add = (list) => list.reduce((a, b) => a + b, 0);
  const S = matmul(Q, transpose(K)).map((row) => row.map((x) => factor * x));
  const allowed = S.map((row, r) => row.map((_, c) => MASKS[mask](r, c)));
  const A = S.map((row, r) => softmax(row.map((s, c) => (allowed[r][c] ? s : -Infinity))));
  const Y = matmul(A, V), value = { S, A, Y }[stage][i][j];
  const terms = stage === "S" ? Q[i].map((x, c) => x * K[j][c])
    : stage === "A" ? S[i].map((s, l) => (allowed[i][l] ? Math.exp(s) : 0)) : A[i].map((a, l) => a * V[l][j]);
  const total = { S: factor * add(terms), A: terms[j] / add(terms), Y: add(terms) }[stage];
  return { S, A, Y, allowed, terms, value, sumGap: Math.abs(value - total) };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ Q, K, V, mask, scale, stage, cell }) {
  const within = (x, n) => range(n).includes(x), table = (M) => within(M.length - 1, 4) && within(M[0].length - 1, 3)
    && M.every((row) => row.length === M[0].length && row.every((x) => Math.abs(x) <= REACH));
  return [Q, K, V].every(table) && K[0].length === Q[0].length && V.length === K.length && Object.hasOwn(MASKS, mask)
    && Object.hasOwn(SCALES, scale) && STAGES.includes(stage) && cell.length === 2 && within(cell[0], Q.length)
    && within(cell[1], stage === "Y" ? V[0].length : K.length);
}

const shape = ({ Q, K, V }) => [Q, K, V].map((M) => [M.length, M[0].length]);

/** How cell r, c of a table takes part in the chosen number: in its "row", its "column", or "behind" these. */
function part({ stage, cell: [i, j] }, allowed, name, r, c) {
  if (stage === "S") return name === "Q" && r === i ? "row" : name === "K" && r === j ? "column" : null;
  if (stage === "Y" && name === "V") return c === j ? "column" : null;
  if (name === (stage === "A" ? "S" : "A")) return r === i ? "row" : null;
  if (name === "Q" || (name === "S" && stage === "Y")) return r === i ? "behind" : null;
  return name === "K" && allowed[i][r] ? "behind" : null;
}

// ---- numbers as text -----------------------------------------------------------------------------------------------
const index = (...places) => places.map((x) => "₁₂₃₄"[x]).join("");
const factor = (x) => (x < 0 ? `(−${-x})` : String(x));
const short = (x) => show(x, Math.abs(x) < 10 ? 2 : Math.abs(x) < 100 ? 1 : 0);
const shown = (stage, x) => (stage !== "A" ? short(x) : x ? show(x, 3) : "0");
const power = (x) => (x < 0.01 ? tiny(x) : x < 1e4 ? show(x) : typeset(x.toExponential(1)));

/** The sum behind the chosen number as two lines: in letters, and in numbers. */
function sum({ Q, K, V, scale, stage, cell: [i, j] }, { S, A, allowed, terms, value, sumGap }, hidden) {
  const name = `${stage}${index(i, j)}`, d = Q[0].length, root = scale === "sqrt" ? ` / √${d}` : "";
  if (stage === "S" && !allowed[i][j]) return [[`${name} = −∞`], []];
  const row = (text, l) => make("b", { class: "live-hued live-blue", "data-shows": l in terms ? `terms ${l}` : null }, text);
  const column = (text) => make("b", { class: "live-hued live-orange" }, text);
  const e = (text) => ["e", make("sup", {}, text)], each = (f) => terms.map((_, l) => [l ? " + " : "", f(l)]);
  const products = (f, g) => each((l) => [row(f(l)), "·", column(g(l))]);
  const share = (f) => [e(f(j)), " / (", each((l) => row(e(f(l)))), ")"];
  const letters = {
    S: () => [row(`q${index(i)}`), "·", column(`k${index(j)}`), root],
    A: () => share((l) => `S${index(i, l)}`),
    Y: () => products((l) => `A${index(i, l)}`, (l) => `V${index(l, j)}`),
  }[stage]();
  if (hidden) return [[`${name} = `, letters, " = ?"], []];
  const numbers = {
    S: () => [root && "(", products((l) => factor(Q[i][l]), (l) => factor(K[j][l])), root && `)${root}`],
    A: () => [share((l) => (allowed[i][l] ? short(S[i][l]) : "−∞")), " ≈ ", power(terms[j]), " / (",
      each((l) => row(power(terms[l]), l)), ")"],
    Y: () => products((l) => shown("A", A[i][l]), (l) => factor(V[l][j])),
  }[stage](), valueText = make("b", { "data-shows": "value" }, shown(stage, value));
  const sign = sumGap > EXACT ? " ≠ " : Number(valueText.textContent.replace("−", "-")) === value ? " = " : " ≈ ";
  return [[`${name} = `, letters], [stage === "S" ? "= " : "≈ ", numbers, sign, valueText]];
}

/** What the figure says in words of the chosen number. */
function sentence({ V, stage, cell: [i, j] }, { allowed }) {
  const name = `${stage}${index(i, j)}`, count = allowed[i].filter(Boolean).length;
  const keys = count < V.length ? `${count} of ${V.length} keys` : `all ${count} keys`;
  if (stage !== "Y" && !allowed[i][j]) return `The mask hides key ${j + 1} from query ${i + 1}, so the weight is exactly 0.`;
  if (stage === "S") return `${name} needs query ${i + 1} and key ${j + 1}, and nothing else.`;
  if (stage === "A") return count < V.length ? `${name} needs what the mask leaves of row ${i + 1} of S, so query ${i + 1} and ${keys}.`
    : `${name} needs the whole row ${i + 1} of S, so query ${i + 1} and ${keys}.`;
  return `${name} is row ${i + 1} of A times column ${j + 1} of V. That row came from query ${i + 1} and ${keys}.`;
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), [[n], [m], [, d_v]] = shape(first);
  const cells = {}, fields = [], now = () => [read(), compute(read())];
  const start = { S: 0, A: m, Y: 2 * m }; // the columns of S, A and Y are counted as one row of columns
  let before = null, practising = false, solved = false;
  const fresh = () => { solved = false; typed.value = ""; write(reply, ""); };
  const alter = (part, was = null) => { before = was; fresh(); change(part); };

  // the tables: each product stands below one of its factors and beside the other
  const closed = ({ allowed }, table, i, j) => table === "S" && !allowed[i][j];
  const typing = (name, i, j) => (x) => {
    const copy = read()[name].map((row) => [...row]), was = { ...now()[1], name: entry(name, i, j) };
    const { stage, cell: [row, column] } = read(); // the sum below is then that of a number which has changed
    copy[i][j] = x;
    const to = { Q: [stage, i, column], K: [stage, row, stage === "Y" ? column : i], V: ["Y", row, j] }[name];
    alter({ [name]: copy, stage: to[0], cell: to.slice(1) }, was);
  };
  const entry = (name, i, j) => `number ${j + 1} of ${name.toLowerCase()}${index(i)}`;
  const table = (name, title, rows, columns) => {
    const cell = (i, j) => {
      if (name in start) {
        const take = () => { choose(i, start[name] + j); cursor.focus(); };
        return Object.assign(make("td", { class: name === "A" ? "live-cell" : null, onclick: take }), { take });
      }
      const input = field(entry(name, i, j), REACH, typing(name, i, j));
      fields.push([input, () => read()[name][i][j]]);
      return make("td", {}, input.element);
    };
    cells[name] = { ...first, ...compute(first) }[name].map((row, i) => row.map((_, j) => cell(i, j)));
    const label = (letter, i, scope) => make("th", { scope }, letter ? `${letter}${index(i)}` : `${i + 1}`);
    const body = name === "K" ? transpose(cells.K) : cells[name];
    const head = make("tr", {}, make("td"), body[0].map((_, j) => label(columns, j, "col")));
    const lines = make("tbody", {}, body.map((row, i) => make("tr", {}, label(rows, i, "row"), row)));
    return make("table", { class: "live-factor" }, make("caption", {}, title), make("thead", {}, head), lines);
  };
  const product = (law, ...three) => make("div", { class: "live-product" }, make("p", { class: "live-law" }, law), three);
  const cursor = make("div", { class: "live-cursor", tabindex: 0, role: "slider", "aria-label": "chosen number" });
  const tables = make("div", { class: "live-trace" },
    product(_("S = scale · QKᵀ"), table("K", "keys Kᵀ", "", "k"), table("Q", "queries Q", "q", ""),
      table("S", "scores S", "q", "k")),
    product("A = softmax of each row of S, Y = AV", table("V", "values V", "v", ""),
      table("A", "weights A", "q", "k"), table("Y", "output Y", "y", "")),
    cursor);

  // the cursor: a frame that goes through S, A and Y by keys, by a click, or dragged
  const last = 2 * m + d_v - 1, place = ({ stage, cell }) => start[stage] + cell[1];
  const choose = (row, column) => {
    const c = clamp(column, 0, last), stage = STAGES.findLast((one) => start[one] <= c);
    cursor.style.transition = calm() ? "" : "transform 0.25s";
    alter({ stage, cell: [clamp(row, 0, n - 1), c - start[stage]] });
  };
  arrows(cursor, (dx, dy) => choose(read().cell[0] - dy, place(read()) + dx));
  draggable(cursor, { getScreenCTM: () => new DOMMatrix() }, (x, y) =>
    document.elementsFromPoint(x, y).find((one) => one.take)?.take());
  const settle = () => {
    const { stage, cell: [i, j] } = read(), box = cells[stage][i][j].getBoundingClientRect();
    const origin = tables.getBoundingClientRect(), width = `${box.width}px`, height = `${box.height}px`;
    const transform = `translate(${box.x - origin.x}px, ${box.y - origin.y}px)`;
    Object.assign(cursor.style, { width, height, transform });
  };
  new ResizeObserver(() => tables.isConnected && settle()).observe(tables); // not after it was drawn anew

  // controls, and practice: a blank that goes from S to A to Y
  const masks = choice(_("mask"), { none: _("none"), causal: _("causal") }, (mask) => alter({ mask }));
  const scales = choice(_("scale"), { sqrt: "1/√dₖ", none: "1" }, (scale) => alter({ scale }));
  const type = toggle("Type the numbers", (pressed) => fields.forEach(([input]) => input.open(pressed)));
  const practise = toggle("Practise", (pressed) => { practising = pressed; fresh(); update(); });
  const typed = make("input", { type: "number", step: "any", class: "live-number", id: newId(), onchange: () => answer() });
  const request = make("label", { for: typed.id }), reply = make("p", { class: "live-why", role: "status" });
  const solve = (text) => { solved = true; update(); write(reply, paragraph(text, "The working is above.")); next.focus(); };
  const answer = () => {
    if (Math.abs(typed.valueAsNumber - now()[1].value) <= 0.01 + EXACT) solve("✓ Right.");
    else write(reply, "✗ Not yet. The line above says which numbers to take from the tables.");
  };
  const check = button("Check", answer), skip = button("Show the working", () => solve(""));
  const next = button("Next number", () => {
    const [{ stage, cell: [i, j] }, { allowed }] = now(), row = (i + 1) % n, key = (j + 1) % m;
    if (stage === "Y") choose(row, allowed[row][key] ? key : 0);
    else choose(i, (stage === "S" ? m : 2 * m) + j); // where Y has no column j, its last
    typed.focus();
  });
  const exercise = make("div", { class: "live-ask" }, request, typed, check, skip, next, reply);
  const lines = [make("p"), make("p")], text = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Click a number of S, A or Y: which numbers is it made of?"),
    make("div", { class: "live-sum" }, lines), tables,
    make("div", { class: "live-controls" }, masks.element, scales.element, type, practise, button("Back to start", () => alter(first))), exercise, text);
  const speak = setUp(model, el, update);

  function update() {
    const [state, result] = now(), { stage, cell: [i, j] } = state, name = `${stage}${index(i, j)}`;
    const asking = el.matches(".live-asking"), asked = practising && !solved && !closed(result, stage, i, j);
    for (const [input, value] of fields) input.put(value());
    for (const table in cells) cells[table].forEach((row, r) => row.forEach((cell, c) => {
      set(cell, { "data-part": part(state, result.allowed, table, r, c) });
      if (!(table in start)) return;
      const unseen = asking || (asked && table === stage && r === i && c === j), infinite = closed(result, table, r, c);
      set(cell, { "data-shows": unseen || infinite ? null : `${table} ${r} ${c}` });
      write(cell, unseen ? "?" : infinite ? "−∞" : shown(table, result[table][r][c]));
      if (table === "A") cell.style.setProperty("--much", unseen ? 0 : result.A[r][c].toFixed(2));
      const differs = before && !infinite && Math.abs(result[table][r][c] - before[table][r][c]) > EXACT;
      cell.toggleAttribute("data-changed", Boolean(differs));
    }));
    sum(state, result, asking || asked).forEach((parts, l) => lines[l].replaceChildren(...parts.flat(Infinity)));
    masks.put(state.mask); scales.put(state.scale); settle();
    set(cursor, { "aria-valuenow": place(state), "aria-valuemin": 0, "aria-valuemax": last,
      "aria-valuetext": `${stage}, row ${i + 1}, column ${j + 1}: ${cells[stage][i][j].textContent}` });
    exercise.hidden = !practising || asking;
    for (const one of [check, skip, typed, next]) one.hidden = asked === (one === next);
    write(request, `What is ${name}?`);
    const [s, a, y] = STAGES.map((table) => cells[table].flat().filter((one) => "changed" in one.dataset).length);
    write(text, asking ? "S, A and Y are hidden until you have answered." : asked ? "Compute it from the framed numbers."
      : !before ? sentence(state, result) : `Underlined is what changed with ${before.name}: ${s} in S, ${a} in A and ${y} in Y.`);
    speak(text.textContent);
  }
  update();
}

export default { initialize, render, compute, valid, shape };
