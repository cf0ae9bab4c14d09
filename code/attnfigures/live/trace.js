// One number of attention, traced back: the tables Q, K, V, S, A, Y, and the sum behind the chosen
// cell.
const REACH = 9;
const STAGES = ["S", "A", "Y"];
const MASKS = { none: () => true, causal: (i, j) => j <= i };
const SCALES = { sqrt: (d) => 1 / Math.sqrt(d), none: () => 1 };

/**
 * S, A, Y, which query may look at which key, and the value of the chosen cell with the terms that
 * it is made of.
 */
function compute({ Q, K, V, mask, scale, stage, cell: [i, j] }) {
  const factor = SCALES[scale](Q[0].length);
  const S = matmul(Q, transpose(K)).map((row) => row.map((x) => factor * x));
  const allowed = S.map((row, r) => row.map((_, c) => MASKS[mask](r, c)));
  const A = S.map((row, r) => softmax(row.map((s, c) => (allowed[r][c] ? s : -Infinity))));
  const Y = matmul(A, V);
  const value = { S, A, Y }[stage][i][j];
  const terms = {
    S: () => Q[i].map((x, c) => x * K[j][c]),
    A: () => S[i].map((s, l) => (allowed[i][l] ? Math.exp(s) : 0)),
    Y: () => A[i].map((a, l) => a * V[l][j]),
  }[stage]();
  const sum = total(terms);
  const made = { S: factor * sum, A: terms[j] / sum, Y: sum }[stage];
  return { S, A, Y, allowed, terms, value, sumGap: Math.abs(value - made) };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ Q, K, V, mask, scale, stage, cell }) {
  const within = (x, n) => range(n).includes(x);
  const table = (M) =>
    within(M.length - 1, 4) &&
    within(M[0].length - 1, 3) &&
    M.every((row) => row.length === M[0].length && row.every((x) => Math.abs(x) <= REACH));
  return (
    [Q, K, V].every(table) &&
    K[0].length === Q[0].length &&
    V.length === K.length &&
    Object.hasOwn(MASKS, mask) &&
    Object.hasOwn(SCALES, scale) &&
    STAGES.includes(stage) &&
    cell.length === 2 &&
    within(cell[0], Q.length) &&
    within(cell[1], stage === "Y" ? V[0].length : K.length)
  );
}

const shape = ({ Q, K, V }) => [Q, K, V].map((M) => [M.length, M[0].length]);

/**
 * How cell r, c of a table takes part in the chosen number: in its "row", its "column", or "behind"
 * these.
 */
function part({ stage, cell: [i, j] }, allowed, name, r, c) {
  if (stage === "S") {
    if (name === "Q" && r === i) return "row";
    return name === "K" && r === j ? "column" : null;
  }
  if (stage === "Y" && name === "V") return c === j ? "column" : null;
  if (name === (stage === "A" ? "S" : "A")) return r === i ? "row" : null;
  if (name === "Q" || (name === "S" && stage === "Y")) return r === i ? "behind" : null;
  return name === "K" && allowed[i][r] ? "behind" : null;
}

// ---- numbers as text ----------------------------------------------------------------------------
const index = (...places) => places.map((x) => "₁₂₃₄"[x]).join("");
const factor = (x) => (x < 0 ? `(−${-x})` : String(x));
const digitsOf = (x) => {
  if (Math.abs(x) < 10) return 2;
  return Math.abs(x) < 100 ? 1 : 0;
};
const short = (x) => show(x, digitsOf(x));
const shown = (stage, x) => {
  if (stage !== "A") return short(x);
  return x ? show(x, 3) : "0";
};
const power = (x) => {
  if (x < 0.01) return tiny(x);
  return x < 1e4 ? show(x) : typeset(x.toExponential(1));
};

// ---- the sum behind the chosen number ------------------------------------------------------------

const column = (text) => make("b", { class: "live-hued live-orange" }, text);
const e = (text) => ["e", make("sup", {}, text)];
const rootOf = ({ Q, scale }) => (scale === "sqrt" ? ` / √${Q[0].length}` : "");
const nameOf = ({ stage, cell }) => `${stage}${index(...cell)}`;

/** The sum as two lines: in letters, and in numbers. */
function sum(state, result, hidden) {
  const [i, j] = state.cell;
  const name = nameOf(state);
  if (state.stage === "S" && !result.allowed[i][j]) return [[`${name} = −∞`], []];
  const letters = lettersOf(state, result);
  if (hidden) return [[`${name} = `, letters, " = ?"], []];
  return [[`${name} = `, letters], numbersOf(state, result)];
}

/** What is written alike in letters and in numbers: terms, products of factors, and a share. */
function writing({ cell: [, j] }, { terms }) {
  const row = (text, l) => {
    const look = "live-hued live-blue";
    return make("b", { class: look, "data-shows": l in terms ? `terms ${l}` : null }, text);
  };
  const each = (f) => terms.map((_, l) => [l ? " + " : "", f(l)]);
  const products = (f, g) => each((l) => [row(f(l)), "·", column(g(l))]);
  const share = (f) => [e(f(j)), " / (", each((l) => row(e(f(l)))), ")"];
  return { row, each, products, share };
}

function lettersOf(state, result) {
  const [i, j] = state.cell;
  const { row, products, share } = writing(state, result);
  if (state.stage === "A") return share((l) => `S${index(i, l)}`);
  if (state.stage === "Y") {
    const weight = (l) => `A${index(i, l)}`;
    const value = (l) => `V${index(l, j)}`;
    return products(weight, value);
  }
  return [row(`q${index(i)}`), "·", column(`k${index(j)}`), rootOf(state)];
}

function numbersOf(state, result) {
  const { stage } = state;
  const value = make("b", { "data-shows": "value" }, shown(stage, result.value));
  const exact = Number(value.textContent.replace("−", "-")) === result.value;
  const holds = exact ? " = " : " ≈ ";
  const sign = result.sumGap > EXACT ? " ≠ " : holds;
  return [stage === "S" ? "= " : "≈ ", termsOf(state, result), sign, value];
}

function termsOf(state, result) {
  const { Q, K, V, stage } = state;
  const { S, A, allowed, terms } = result;
  const [i, j] = state.cell;
  const { row, each, products, share } = writing(state, result);
  if (stage === "A") {
    const score = (l) => (allowed[i][l] ? short(S[i][l]) : "−∞");
    const powers = each((l) => row(power(terms[l]), l));
    return [share(score), " ≈ ", power(terms[j]), " / (", powers, ")"];
  }
  if (stage === "Y") {
    const weight = (l) => shown("A", A[i][l]);
    const value = (l) => factor(V[l][j]);
    return products(weight, value);
  }
  const root = rootOf(state);
  const query = (c) => factor(Q[i][c]);
  const key = (c) => factor(K[j][c]);
  return [root && "(", products(query, key), root && `)${root}`];
}

// ---- build ---------------------------------------------------------------------------------------

/** The columns of S, A and Y are counted as one row of columns. */
const startsOf = ({ K }) => ({ S: 0, A: K.length, Y: 2 * K.length });
const closed = ({ allowed }, table, [i, j]) => table === "S" && !allowed[i][j];
const entryName = (name, i, j) => `number ${j + 1} of ${name.toLowerCase()}${index(i)}`;

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const starts = startsOf(first);
  const practice = { on: false, solved: false, fresh: () => {} };
  const parts = { starts, practice, before: null, update: () => {} };
  const alter = (part, before = null) => {
    parts.before = before;
    practice.fresh();
    change(part);
  };
  const choose = chooser(first, starts, parts, alter);
  parts.tables = buildTables(first, starts, read, alter, (i, c) => {
    choose(i, c);
    parts.cursor.focus();
  });
  parts.cursor = buildCursor(parts.tables, starts, read, choose);
  parts.exercise = buildExercise(first, parts, read, choose);
  parts.settle = settler(parts.tables, parts.cursor, read);
  parts.masks = choice(
    _("mask"),
    { none: _("none"), causal: _("causal") },
    (mask) => alter({ mask }),
  );
  parts.scales = choice(_("scale"), { sqrt: "1/√dₖ", none: "1" }, (scale) => alter({ scale }));
  const type = toggle("Type the numbers", (pressed) => {
    for (const { input } of parts.tables.fields) input.open(pressed);
  });
  const practise = toggle("Practise", (pressed) => {
    practice.on = pressed;
    practice.fresh();
    parts.update();
  });
  parts.lines = [make("p"), make("p")];
  parts.message = messageLine();
  el.append(
    hintLine("Click a number of S, A or Y: which numbers is it made of?"),
    div("live-sum", parts.lines),
    parts.tables.element,
    div(
      "live-controls",
      parts.masks.element,
      parts.scales.element,
      type,
      practise,
      button("Back to start", () => alter(first)),
    ),
    parts.exercise.element,
    parts.message,
  );
  return parts;
}

/** The tables: each product stands below one of its factors and beside the other. */
function buildTables(first, starts, read, alter, take) {
  const cells = {};
  const fields = [];
  const numbers = { ...first, ...compute(first) };
  const taken = (name, i, j) => {
    const act = () => take(i, starts[name] + j);
    const look = { class: name === "A" ? "live-cell" : null, onclick: act };
    return Object.assign(make("td", look), { take: act });
  };
  const typed = (name, i, j) => {
    const input = field(entryName(name, i, j), REACH, typing(name, i, j, read, alter));
    fields.push({ input, value: () => read()[name][i][j] });
    return make("td", {}, input.element);
  };
  const table = (name, title, rows, columns) => {
    const cell = name in starts ? taken : typed;
    cells[name] = numbers[name].map((row, i) => row.map((_, j) => cell(name, i, j)));
    const body = name === "K" ? transpose(cells.K) : cells[name];
    return tableOf(title, body, rows, columns);
  };
  const product = (law, ...three) =>
    div("live-product", make("p", { class: "live-law" }, law), three);
  const element = div(
    "live-trace",
    product(
      _("S = scale · QKᵀ"),
      table("K", "keys Kᵀ", "", "k"),
      table("Q", "queries Q", "q", ""),
      table("S", "scores S", "q", "k"),
    ),
    product(
      "A = softmax of each row of S, Y = AV",
      table("V", "values V", "v", ""),
      table("A", "weights A", "q", "k"),
      table("Y", "output Y", "y", ""),
    ),
  );
  return { element, cells, fields };
}

/** A table of cells, whose rows and columns are named by a letter with a number, or by a number. */
function tableOf(title, body, rows, columns) {
  const label = (letter, i, scope) =>
    make("th", { scope }, letter ? `${letter}${index(i)}` : `${i + 1}`);
  const names = body[0].map((_, j) => label(columns, j, "col"));
  const lines = body.map((row, i) => make("tr", {}, label(rows, i, "row"), row));
  return make(
    "table",
    { class: "live-factor" },
    make("caption", {}, title),
    make("thead", {}, make("tr", {}, make("td"), names)),
    make("tbody", {}, lines),
  );
}

/** What happens when a number is typed: the sum is then that of a number which has changed. */
const typing = (name, i, j, read, alter) => (x) => {
  const state = read();
  const before = { ...compute(state), name: entryName(name, i, j) };
  const copy = state[name].map((row) => [...row]);
  copy[i][j] = x;
  const [row, column] = state.cell;
  const to = {
    Q: { stage: state.stage, cell: [i, column] },
    K: { stage: state.stage, cell: [row, state.stage === "Y" ? column : i] },
    V: { stage: "Y", cell: [row, j] },
  }[name];
  alter({ [name]: copy, ...to }, before);
};

/** Chooses a cell by its row and its column, which are counted through S, A and Y. */
const chooser = ({ Q, V }, starts, parts, alter) => (row, column) => {
  const c = clamp(column, 0, starts.Y + V[0].length - 1);
  const stage = STAGES.findLast((one) => starts[one] <= c);
  parts.cursor.style.transition = calm() ? "" : "transform 0.25s";
  alter({ stage, cell: [clamp(row, 0, Q.length - 1), c - starts[stage]] });
};

/** The cursor: a frame that goes through S, A and Y by keys, by a click, or dragged. */
function buildCursor({ element }, starts, read, choose) {
  const cursor = make("div", {
    class: "live-cursor",
    tabindex: 0,
    role: "slider",
    "aria-label": "chosen number",
  });
  element.append(cursor);
  arrows(cursor, (dx, dy) => {
    const { stage, cell: [i, j] } = read();
    choose(i - dy, starts[stage] + j + dx);
  });
  draggable(cursor, { getScreenCTM: () => new DOMMatrix() }, (x, y) => {
    const cell = document.elementsFromPoint(x, y).find((one) => one.take);
    cell?.take();
  });
  return cursor;
}

/** Lays the cursor around the chosen cell, now and when the tables change their size. */
function settler({ element, cells }, cursor, read) {
  const settle = () => {
    const { stage, cell: [i, j] } = read();
    const box = cells[stage][i][j].getBoundingClientRect();
    const origin = element.getBoundingClientRect();
    const width = `${box.width}px`;
    const height = `${box.height}px`;
    const transform = `translate(${box.x - origin.x}px, ${box.y - origin.y}px)`;
    Object.assign(cursor.style, { width, height, transform });
  };
  // not after it was drawn anew
  new ResizeObserver(() => element.isConnected && settle()).observe(element);
  return settle;
}

/** Practice: a blank that goes from S to A to Y. */
function buildExercise(first, parts, read, choose) {
  const { practice } = parts;
  const typed = make("input", {
    type: "number",
    step: "any",
    class: "live-number",
    id: newId(),
    onchange: () => answer(),
  });
  const request = make("label", { for: typed.id });
  const reply = make("p", { class: "live-why", role: "status" });
  practice.fresh = () => {
    practice.solved = false;
    typed.value = "";
    write(reply, "");
  };
  const solve = (text) => {
    practice.solved = true;
    parts.update();
    write(reply, paragraph(text, "The working is above."));
    next.focus();
  };
  const answer = () => {
    const right = Math.abs(typed.valueAsNumber - compute(read()).value) <= 0.01 + EXACT;
    if (right) solve("✓ Right.");
    else write(reply, "✗ Not yet. The line above says which numbers to take from the tables.");
  };
  const check = button("Check", answer);
  const skip = button("Show the working", () => solve(""));
  const next = button("Next number", () => {
    choose(...following(first, read()));
    typed.focus();
  });
  const element = div("live-ask", request, typed, check, skip, next, reply);
  return { element, request, typed, check, skip, next };
}

/** The row and the column of the number to compute next: below S that of A, of Y, then a new one. */
function following({ Q, K }, state) {
  const [n, m] = [Q.length, K.length];
  const { stage, cell: [i, j] } = state;
  if (stage === "S") return [i, m + j];
  if (stage === "A") return [i, 2 * m + j]; // where Y has no column j, its last
  const row = (i + 1) % n;
  const key = (j + 1) % m;
  return [row, compute(state).allowed[row][key] ? key : 0];
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  const asked = isAsked(parts, state, result);
  for (const { input, value } of parts.tables.fields) input.put(value());
  for (const name of Object.keys(parts.tables.cells)) {
    drawTable(parts, name, state, result, hidden, asked);
  }
  const lines = sum(state, result, hidden || asked);
  lines.forEach((pieces, l) => parts.lines[l].replaceChildren(...pieces.flat(Infinity)));
  parts.masks.put(state.mask);
  parts.scales.put(state.scale);
  drawCursor(parts, state);
  drawExercise(parts, state, hidden, asked);
}

/** Whether the chosen number is a blank, which the reader is to compute. */
const isAsked = ({ practice }, { stage, cell }, result) =>
  practice.on && !practice.solved && !closed(result, stage, cell);

function drawTable({ tables, starts, before }, name, state, result, hidden, asked) {
  const { stage, cell: [i, j] } = state;
  tables.cells[name].forEach((row, r) =>
    row.forEach((td, c) => {
      set(td, { "data-part": part(state, result.allowed, name, r, c) });
      if (!(name in starts)) return;
      const blank = asked && name === stage && r === i && c === j;
      const unseen = hidden || blank;
      const infinite = closed(result, name, [r, c]);
      const x = result[name][r][c];
      set(td, { "data-shows": unseen || infinite ? null : `${name} ${r} ${c}` });
      const number = infinite ? "−∞" : shown(name, x);
      write(td, unseen ? "?" : number);
      if (name === "A") td.style.setProperty("--much", unseen ? 0 : x.toFixed(2));
      const differs = before && !infinite && Math.abs(x - before[name][r][c]) > EXACT;
      td.toggleAttribute("data-changed", Boolean(differs));
    })
  );
}

function drawCursor({ cursor, tables, starts, settle }, state) {
  const { V, stage, cell: [i, j] } = state;
  settle();
  const chosen = tables.cells[stage][i][j];
  set(cursor, {
    "aria-valuenow": starts[stage] + j,
    "aria-valuemin": 0,
    "aria-valuemax": starts.Y + V[0].length - 1,
    "aria-valuetext": `${stage}, row ${i + 1}, column ${j + 1}: ${chosen.textContent}`,
  });
}

function drawExercise({ practice, exercise }, state, hidden, asked) {
  const { element, request, typed, check, skip, next } = exercise;
  element.hidden = !practice.on || hidden;
  for (const one of [check, skip, typed]) one.hidden = !asked;
  next.hidden = asked;
  const name = nameOf(state);
  write(request, `What is ${name}?`);
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, result, { hidden, ...parts }) {
  if (hidden) return "S, A and Y are hidden until you have answered.";
  if (isAsked(parts, state, result)) return "Compute it from the framed numbers.";
  if (!parts.before) return sentence(state, result);
  const changed = (name) => parts.tables.cells[name].flat().filter((td) => "changed" in td.dataset);
  const [s, a, y] = STAGES.map((name) => changed(name).length);
  return `Underlined is what changed with ${parts.before.name}: ${s} in S, ${a} in A and ${y} in Y.`;
}

/** What is said of the chosen number. */
function sentence({ V, stage, cell: [i, j] }, { allowed }) {
  const name = `${stage}${index(i, j)}`;
  const count = allowed[i].filter(Boolean).length;
  const keys = count < V.length ? `${count} of ${V.length} keys` : `all ${count} keys`;
  if (stage !== "Y" && !allowed[i][j]) {
    return `The mask hides key ${j + 1} from query ${i + 1}, so the weight is exactly 0.`;
  }
  if (stage === "S") return `${name} needs query ${i + 1} and key ${j + 1}, and nothing else.`;
  if (stage === "A") {
    return count < V.length
      ? `${name} needs what the mask leaves of row ${i + 1} of S, so query ${i + 1} and ${keys}.`
      : `${name} needs the whole row ${i + 1} of S, so query ${i + 1} and ${keys}.`;
  }
  return `${name} is row ${i + 1} of A times column ${j + 1} of V. That row came from query ${
    i + 1
  } and ${keys}.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
