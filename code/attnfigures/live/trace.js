// One number of attention, traced back: the tables Q, K, V, S, A, Y, and the sum behind the chosen
// cell.
const REACH = 9;
const STAGES = ["S", "A", "Y"];
const MASKS = { none: () => true, causal: (i, j) => j <= i };
const MOST = 0.5; // what is more than all the rest
const SCALES = { sqrt: (d) => 1 / Math.sqrt(d), none: () => 1 };

/**
 * S, A, Y, which query may look at which key, and the value of the chosen cell with the terms that
 * it is made of.
 */
function compute({ Q, K, V, mask, scale, stage, cell: [i, j] }) {
  const factor = SCALES[scale](Q[0].length);
  const S = matmul(Q, transpose(K)).map((row) => row.map((x) => factor * x));
  const allowed = S.map((row, r) => row.map((_x, c) => MASKS[mask](r, c)));
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

/** The sum as two lines: in letters, the name in the frame of its cell, and in numbers. */
function sum(state, result, hidden) {
  const [i, j] = state.cell;
  const name = make("span", { class: "live-trace-name" }, nameOf(state));
  if (state.stage === "S" && !result.allowed[i][j]) return [[name, " = −∞"], []];
  const letters = lettersOf(state, result);
  if (hidden) return [[name, " = ", letters, " = ?"], []];
  return [[name, " = ", letters], numbersOf(state, result)];
}

/** What is written alike in letters and in numbers: terms, products of factors, and a share. */
function writing({ cell: [, j] }, { terms }) {
  const row = (text, l) => {
    const look = "live-hued live-blue";
    return make("b", { class: look, "data-shows": l in terms ? `terms ${l}` : null }, text);
  };
  const each = (f) => terms.map((_x, l) => [l ? " + " : "", f(l)]);
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

// ---- the same sum as a picture -------------------------------------------------------------------

const LANE = 15; // the height of a term
const SPAN = [66, 310]; // where terms are drawn, in a drawing 320 wide

/**
 * The terms as steps, each from where the one before it ends, and below them their sum; for a weight
 * the part of it that the chosen term is.
 */
function stairs({ stage, cell: [i, j] }, { terms }) {
  const ends = terms.reduce((sums, x) => [...sums, sums.at(-1) + x], [0]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const long = most - least || 1;
  const toX = (x) => SPAN[0] + ((SPAN[1] - SPAN[0]) * (x - least)) / long;
  const bar = (look, from, to, lane) =>
    make("rect", {
      class: `live-stair ${look}`,
      x: hundredth(toX(Math.min(from, to))),
      y: LANE * lane + 2,
      width: hundredth(Math.max(toX(Math.max(from, to)) - toX(Math.min(from, to)), 1)),
      height: LANE - 4,
    });
  const name = (text, lane) =>
    make("text", { class: "live-label", x: 60, y: LANE * lane + 12, "text-anchor": "end" }, text);
  const hued = (look, text) => make("tspan", { class: `live-hued ${look}` }, text);
  const product = (one, other) => [hued("live-blue", one), "·", hued("live-orange", other)];
  const term = {
    S: (l) => product(`Q${index(i, l)}`, `K${index(j, l)}`),
    A: (l) => ["exp ", hued("live-blue", `S${index(i, l)}`)],
    Y: (l) => product(`A${index(i, l)}`, `V${index(l, j)}`),
  }[stage];
  const zero = hundredth(toX(0));
  const chosen = (l) => stage !== "A" || l === j;
  const sum = ends.at(-1);
  const last = terms.length;
  return [
    make("line", { class: "live-axis", x1: zero, x2: zero, y1: 0, y2: LANE * (last + 1) }),
    terms.map((x, l) => [
      name(term(l), l),
      x && bar(chosen(l) ? "live-stair-term" : "", ends[l], ends[l + 1], l),
    ]),
    name("Σ", last),
    stage === "A" && bar("", 0, sum, last),
    stage === "A"
      ? bar("live-stair-sum", ends[j], ends[j + 1], last)
      : bar("live-stair-sum", 0, sum, last),
  ].flat().filter(Boolean);
}

// ---- build ---------------------------------------------------------------------------------------

/** The columns of S, A and Y are counted as one row of columns. */
const startsOf = ({ K }) => ({ S: 0, A: K.length, Y: 2 * K.length });
const closed = ({ allowed }, table, [i, j]) => table === "S" && !allowed[i][j];
const entryName = (name, i, j) => `number ${j + 1} of ${name.toLowerCase()}${index(i)}`;
const FAR = 4; // a number of this size, or more, fills its cell; a weight of 1 does
const sizeOf = (name, x) =>
  thousandth(Math.sqrt(Math.min(1, Math.abs(x) / (name === "A" ? 1 : FAR))));

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const starts = startsOf(first);
  const practice = { on: false, solved: false, reply: "", fresh: () => {} };
  const parts = { starts, practice, typing: false, before: null, update: () => {} };
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
  const type = toggle("Numbers", (pressed) => {
    parts.typing = pressed;
    for (const { input } of parts.tables.fields) input.open(pressed);
    parts.update();
  });
  const practise = toggle("Practise", (pressed) => {
    practice.on = pressed;
    practice.fresh();
    parts.update();
  });
  parts.lines = [make("p"), make("p")];
  parts.stairs = make("svg", {
    viewBox: `0 0 320 ${LANE * (Math.max(first.K.length, first.Q[0].length) + 1)}`,
    class: "live-stairs",
    "aria-hidden": "true",
  });
  parts.tables.element.append(
    div("live-sum", div("live-trace-lines", parts.lines, parts.exercise.element), parts.stairs),
  );
  parts.message = messageLine();
  el.append(
    hintLine(
      "Drag squares until q₂ gives k₂ most of its weight. Click one of S, A or Y: what made it?",
    ),
    parts.tables.element,
    div(
      "live-controls",
      parts.masks.element,
      parts.scales.element,
      type,
      practise,
      button("Back to start", () => alter(first)),
    ),
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
    const digits = make("span", { class: "live-trace-digits" });
    const td = make("td", { class: "live-trace-cell", onclick: act }, digits);
    return Object.assign(td, { take: act, digits });
  };
  const typed = (name, i, j) => {
    const input = field(entryName(name, i, j), REACH, typing(name, i, j, read, alter));
    fields.push({ input, value: () => read()[name][i][j] });
    return make("td", { class: "live-trace-cell" }, input.element, pull(name, i, j, read, alter));
  };
  const table = (name, title, rows, columns) => {
    const cell = name in starts ? taken : typed;
    cells[name] = numbers[name].map((row, i) => row.map((_x, j) => cell(name, i, j)));
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
  const side = Math.max(first.Q[0].length, first.V[0].length);
  element.style.setProperty("--columns", first.K.length + side);
  return { element, cells, fields };
}

/** A table of cells, whose rows and columns are named by a letter with a number, or by a number. */
function tableOf(title, body, rows, columns) {
  const label = (letter, i, scope) =>
    make("th", { scope }, letter ? `${letter}${index(i)}` : `${i + 1}`);
  const names = body[0].map((_x, j) => label(columns, j, "col"));
  const lines = body.map((row, i) => make("tr", {}, label(rows, i, "row"), row));
  return make(
    "table",
    { class: "live-factor" },
    make("caption", {}, title),
    make("thead", {}, make("tr", {}, make("td"), names)),
    make("tbody", {}, lines),
  );
}

/** What a number of Q, K or V is before it changes, to compare with. */
const beforeOf = (name, i, j, state) => ({ ...compute(state), name: entryName(name, i, j) });

/** Puts a number into Q, K or V; the sum is then that of a number which has changed. */
function putNumber(name, i, j, x, state, alter, before) {
  const copy = state[name].map((row) => [...row]);
  copy[i][j] = x;
  const [row, column] = state.cell;
  const to = {
    Q: { stage: state.stage, cell: [i, column] },
    K: { stage: state.stage, cell: [row, state.stage === "Y" ? column : i] },
    V: { stage: "Y", cell: [row, j] },
  }[name];
  alter({ [name]: copy, ...to }, before);
}

/** What happens when a number is typed. */
const typing = (name, i, j, read, alter) => (x) =>
  putNumber(name, i, j, x, read(), alter, beforeOf(name, i, j, read()));

/** What a pointer drags up or down to change a number by halves; who has no pointer types it. */
function pull(name, i, j, read, alter) {
  const element = div("live-trace-grip");
  let held = null;
  const drag = (_x, y) => {
    const state = read();
    held ??= { y, x: state[name][i][j], before: beforeOf(name, i, j, state) };
    const x = clamp(held.x + Math.round((held.y - y) / 12) / 2, -FAR, FAR);
    if (x !== state[name][i][j]) putNumber(name, i, j, x, state, alter, held.before);
  };
  draggable(element, SCREEN, drag, () => {
    held = null;
  });
  return element;
}

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
  draggable(cursor, SCREEN, (x, y) => {
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
  practice.fresh = () => {
    practice.solved = false;
    practice.reply = "";
    typed.value = "";
  };
  const reply = (text) => {
    practice.reply = text;
    parts.update();
  };
  const solve = (text) => {
    practice.solved = true;
    reply(paragraph(text, "The working is above."));
    next.focus();
  };
  const answer = () => {
    const right = Math.abs(typed.valueAsNumber - compute(read()).value) <= 0.01 + EXACT;
    if (right) solve("✓ Right.");
    else reply("✗ Not yet. The line above says which numbers to take from the tables.");
  };
  const check = button("Check", answer);
  const skip = button("Show the working", () => solve(""));
  const next = button("Next number", () => {
    choose(...following(first, read()));
    typed.focus();
  });
  const element = div("live-exercise", request, typed, check, skip, next);
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
function draw(parts, state, result, { first, hidden }) {
  const asked = isAsked(parts, state, result);
  for (const { input, value } of parts.tables.fields) input.put(value());
  for (const name of Object.keys(parts.tables.cells)) {
    drawTable(parts, name, state, result, hidden, asked);
  }
  const digits = parts.typing || parts.practice.on;
  parts.tables.element.classList.toggle("live-trace-numbers", digits);
  // at first only one row is to be seen: from its query to the chosen number
  const untouched = JSON.stringify(state) === JSON.stringify(first);
  parts.tables.element.classList.toggle("live-trace-untouched", untouched && !digits);
  const lines = sum(state, result, hidden || asked);
  lines.forEach((pieces, l) => parts.lines[l].replaceChildren(...pieces.flat(Infinity)));
  parts.lines[1].hidden = !digits || asked;
  const unseen = hidden || asked || closed(result, state.stage, state.cell);
  parts.stairs.replaceChildren(...(unseen ? [] : stairs(state, result).flat(Infinity)));
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
  const made = name in starts;
  const M = made ? result[name] : state[name];
  tables.cells[name].forEach((row, r) =>
    row.forEach((td, c) => {
      const x = M[r][c];
      const blank = asked && name === stage && r === i && c === j;
      const unseen = made && (hidden || blank);
      const infinite = made && closed(result, name, [r, c]);
      set(td, { "data-part": part(state, result.allowed, name, r, c) });
      td.style.setProperty("--size", unseen || infinite ? 0 : sizeOf(name, x));
      td.toggleAttribute("data-minus", x < 0);
      td.toggleAttribute("data-chosen", name === stage && r === i && c === j);
      td.toggleAttribute("data-beside", name === stage && r === i);
      td.toggleAttribute("data-closed", infinite);
      if (!made) return;
      set(td.digits, { "data-shows": unseen || infinite ? null : `${name} ${r} ${c}` });
      const number = infinite ? "−∞" : shown(name, x);
      write(td.digits, unseen ? "?" : number);
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
  element.hidden = !practice.on || hidden; // its room is kept
  for (const one of [check, skip, typed]) one.hidden = !asked;
  next.hidden = asked;
  request.hidden = !asked;
  element.toggleAttribute("data-solved", !asked);
  write(request, `${nameOf(state)} =`);
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, result, { hidden, ...parts }) {
  if (hidden) return "S, A and Y are hidden until you have answered.";
  if (parts.practice.on && parts.practice.reply) return parts.practice.reply;
  if (isAsked(parts, state, result)) return "Compute it from the framed numbers.";
  if (!parts.before) return sentence(state, result);
  const changed = (name) => parts.tables.cells[name].flat().filter((td) => "changed" in td.dataset);
  const [s, a, y] = STAGES.map((name) => changed(name).length);
  const marked =
    `A corner marks what changed with ${parts.before.name}: ${s} in S, ${a} in A and ${y} in Y.`;
  const weight = result.A[1]?.[1] ?? 0;
  return weight > MOST ? paragraph(`✓ q₂ gives k₂ the weight ${show(weight)}.`, marked) : marked;
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
