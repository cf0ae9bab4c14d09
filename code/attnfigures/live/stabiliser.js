// A mask over four tokens, and the 24 orders in groups: those of one group make the same mask.
const N = 4, IN_ALL = 24;

const ORDERS = ordersOf(range(N));
const PRESETS = {
  "no mask": () => true, "padding": (i, j) => j < 3, "causal": (i, j) => j <= i,
  "two sentences": (i, j) => i >> 1 === j >> 1, "neighbours": (i, j) => Math.abs(i - j) <= 1,
  "ring, both ways": (i, j) => i === j || (i - j) % 2 !== 0, "ring, one way": (i, j) => (i - j + N) % N <= 1, "each itself": (i, j) => i === j,
};
const NAMES = Object.keys(PRESETS), SHOWN = { padding: _("padding"), causal: _("causal"), neighbours: _("neighbours") };
const maskOf = (name) => range(N).map((i) => range(N).map((j) => Number(PRESETS[name](i, j))));

/** P M Pᵀ: row i comes from row order[i], and column j from column order[j]. */
const conjugate = (order, M) => order.map((i) => order.map((j) => M[i][j]));

/** The moved mask; the orders that leave M alone; and the different masks, with the number of the one each order makes. */
function compute({ mask, order }) {
  const same = (A, B) => largestDifference(A, B) === 0, masks = [];
  const moved = conjugate(order, mask), made = ORDERS.map((perm) => conjugate(perm, mask));
  const keeps = made.map((M) => same(M, mask));
  for (const M of made) if (!masks.some((other) => same(M, other))) masks.push(M);
  const makes = made.map((M) => masks.findIndex((other) => same(M, other)));
  const changed = moved.flat().filter((x, i) => x !== mask.flat()[i]).length;
  const [stabiliser, orbit] = [keeps.filter(Boolean).length, masks.length];
  return { moved, changed, keeps, makes, masks, stabiliser, orbit, countGap: Math.abs(stabiliser * orbit - IN_ALL) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ mask, order }) => isPermutation(order, N) && mask.length === N
  && mask.every((row) => row.length === N && row.every((x) => x === 0 || x === 1));

const text = (x, y, words, anchor = "middle") =>
  make("text", { class: "live-label live-stabiliser-text", x, y, "text-anchor": anchor }, words);

/** Of the elements `all()` in a box one is a stop for Tab, and arrow keys go from one to the next, `columns` to a row. */
function roving(box, all, columns) {
  const to = (one) => all().forEach((element) => set(element, { tabindex: element === one ? 0 : -1 }));
  arrows(box, (dx, dy) => {
    const elements = all(), k = elements.indexOf(document.activeElement);
    const next = elements[clamp(k + dx - columns * dy, 0, elements.length - 1)];
    to(next);
    next.focus();
  });
  return to;
}

/** A mask with the numbers of its rows and columns; `put(M, names, changed)` draws it. */
function drawing(title, square) {
  const names = range(2).map((side) => range(N).map((i) => (side ? text(44 + 40 * i, 16, "") : text(16, 48 + 40 * i, ""))));
  const cells = range(N * N).map((k) => square({ x: 26 + 40 * (k % N), y: 24 + 40 * Math.floor(k / N), width: 36, height: 36 }, k));
  const lines = range(N * N).map((k) => make("rect", { class: "live-stabiliser-new",
    x: 31 + 40 * (k % N), y: 51 + 40 * Math.floor(k / N), width: 26, height: 4 }));
  const svg = make("svg", { viewBox: "0 0 190 188", role: "group", class: "live-stabiliser", "aria-label": title }, names, cells, lines);
  const element = make("div", { class: "live-stabiliser-mask" }, make("div", { class: "live-title" }, title), svg);
  return { element, cells, put: (M, order, changed = () => false) => {
    names.forEach((side) => side.forEach((name, i) => write(name, String(order[i]))));
    M.flat().forEach((x, k) => {
      cells[k].classList.toggle("live-stabiliser-on", x === 1);
      set(lines[k], { visibility: changed(k) ? "visible" : "hidden" });
    });
  } };
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  let own = range(N).map((i) => range(N).map((j) => Number(i === 0 || i === j))); // kept while another mask is chosen
  const flip = (k) => change({ mask: read().mask.map((row, i) => row.map((x, j) => (N * i + j === k ? 1 - x : x))) });

  // the mask, whose squares are clicked, and the mask that the order makes of it
  const press = (k) => (event) => { if (event.key === " " || event.key === "Enter") { event.preventDefault(); event.stopPropagation(); flip(k); } };
  const left = drawing("Mask M", (place, k) => make("rect", { ...place, class: "live-stabiliser-square live-stabiliser-own", tabindex: -1,
    role: "checkbox", "aria-label": `query ${Math.floor(k / N)} may look at key ${k % N}`, onkeydown: press(k),
    onclick: () => { here(left.cells[k]); flip(k); } }));
  const right = drawing("P M Pᵀ", (place) => make("rect", { ...place, class: "live-stabiliser-square" }));
  const here = roving(left.element, () => left.cells, N);
  here(left.cells[0]);

  // the orders
  const take = (k) => change({ order: ORDERS[k] });
  const chips = ORDERS.map((order, k) => make("button", { type: "button", class: "live-button live-stabiliser-order", tabindex: -1,
    onclick: () => take(k) }, order.join(" ")));
  const list = make("div", { role: "group", "aria-label": "24 orders", class: "live-stabiliser-orders" }, chips);
  /** A mask beside the orders that make it. */
  const groupOf = (M, orders) => make("div", { class: "live-stabiliser-group" },
    make("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" }, M.flat().map((x, l) => make("rect", { x: 10 * (l % N), y: 10 * Math.floor(l / N),
      width: 9, height: 9, class: x ? "live-stabiliser-on" : "live-stabiliser-off" }))),
    make("div", { style: `max-width: ${3.1 * Math.ceil(orders.length / 4)}rem` }, orders));
  const room = make("div", { class: "live-stabiliser-orders", "aria-hidden": "true" }, // as high as the list can become
    ORDERS.map(() => groupOf(first.mask, [make("span", { class: "live-button live-stabiliser-order" })])));
  const stop = roving(list, () => [...list.querySelectorAll("button")], 1);
  let grouped;

  // controls and readings
  const preset = choice(_("mask"), Object.fromEntries([...NAMES, "your own"].map((name) => [name, SHOWN[name] ?? name])),
    (name) => change({ mask: name in PRESETS ? maskOf(name) : own }));
  const number = (shows, words) => [`${words}: `, make("b", { "data-shows": shows })];
  const rows = [number("stabiliser", "orders of 24 that leave M alone"), number("orbit", "different masks made from M"),
    number("changed", "entries changed by the chosen order")];
  const message = make("p", { class: "live-verdict" }), laws = make("ul", { class: "live-verdicts" });
  el.append(make("p", { class: "live-hint" }, "Click squares. Can you draw a mask that exactly 3 orders leave alone? Exactly 5? Exactly 12?"),
    make("div", { class: "live-planes live-lean" }, make("div", { class: "live-stabiliser-pair" }, left.element, right.element),
      make("div", { class: "live-reading live-stabiliser-reading" },
        make("div", { class: "live-controls" }, preset.element, button("Back to start", () => change(first))), rows.map((row) => make("p", {}, row)), laws, message)),
    make("div", { class: "live-title" }, "The 24 orders, each beside the mask that it makes"), make("div", { class: "live-stabiliser-room" }, list, room));
  const speak = setUp(model, el, update);

  function update() {
    const { mask, order } = read(), result = compute({ mask, order }), hidden = el.classList.contains("live-asking");
    const k = ORDERS.findIndex((other) => String(other) === String(order));
    const name = NAMES.find((other) => String(maskOf(other)) === String(mask));
    if (!name) own = mask;
    preset.put(name || "your own");
    left.put(mask, range(N));
    left.cells.forEach((cell, l) => set(cell, { "aria-checked": mask.flat()[l] === 1 }));
    right.put(result.moved, order, (l) => result.moved.flat()[l] !== mask.flat()[l]);
    if (grouped !== `${hidden} ${mask}`) { // not while an order has the focus
      list.replaceChildren(...(hidden ? chips : result.masks.map((M, m) => groupOf(M, chips.filter((_, l) => result.makes[l] === m)))));
      grouped = `${hidden} ${mask}`;
    }
    chips.forEach((chip, l) => set(chip, { "aria-pressed": l === k, "aria-label": [ORDERS[l].join(" "),
      !hidden && (result.keeps[l] ? "leaves M alone" : `makes mask ${result.makes[l] + 1} of ${result.orbit}`)].filter(Boolean).join(", ") }));
    stop(chips[k]);
    rows.forEach(([, cell]) => write(cell, hidden && cell.dataset.shows !== "changed" ? "?" : String(result[cell.dataset.shows])));
    laws.replaceChildren(hidden ? "" : verdict(`${result.stabiliser} × ${result.orbit}`, "24", result.countGap));
    write(message, hidden ? "Orders and masks are hidden until you have answered." : sentence(mask, result));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence(mask, { stabiliser, changed }) {
  const blind = mask.findIndex((row) => !row.includes(1));
  if (blind >= 0) return `Query ${blind} may look at no key: softmax gives it no weights.`;
  if (changed === 0) return stabiliser === 1 ? "Only the order 0 1 2 3 leaves M alone." : "The chosen order leaves M alone.";
  return stabiliser === 1 ? "Only the chosen order makes P M Pᵀ." : `${stabiliser} orders make P M Pᵀ.`;
}

export default { initialize, render, compute, valid };
