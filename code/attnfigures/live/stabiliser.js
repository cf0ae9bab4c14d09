// A mask over four tokens, and the 24 orders in groups: those of one group make the same mask.
const N = 4;
const IN_ALL = 24;

const ORDERS = ordersOf(range(N));
const PRESETS = {
  "no mask": () => true,
  padding: (i, j) => j < 3,
  causal: (i, j) => j <= i,
  "two sentences": (i, j) => i >> 1 === j >> 1,
  neighbours: (i, j) => Math.abs(i - j) <= 1,
  "ring, both ways": (i, j) => i === j || (i - j) % 2 !== 0,
  "ring, one way": (i, j) => (i - j + N) % N <= 1,
  "each itself": (i, j) => i === j,
};
const NAMES = Object.keys(PRESETS);
const SHOWN = { padding: _("padding"), causal: _("causal"), neighbours: _("neighbours") };
const maskOf = (name) => range(N).map((i) => range(N).map((j) => Number(PRESETS[name](i, j))));

/** P M Pᵀ: row i comes from row order[i], and column j from column order[j]. */
const conjugate = (order, M) => order.map((i) => order.map((j) => M[i][j]));

// ---- compute -------------------------------------------------------------------------------------

/** Whether two masks are the same. */
const same = (A, B) => largestDifference(A, B) === 0;

/**
 * The moved mask; the orders that leave M alone; and the different masks, with the number of the
 * one each order makes.
 */
function compute({ mask, order }) {
  const moved = conjugate(order, mask);
  const made = ORDERS.map((perm) => conjugate(perm, mask));
  const masks = made.filter((M, k) => made.findIndex((other) => same(M, other)) === k);
  const keeps = made.map((M) => same(M, mask));
  const stabiliser = keeps.filter(Boolean).length;
  const orbit = masks.length;
  return {
    moved,
    changed: moved.flat().filter((x, i) => x !== mask.flat()[i]).length,
    keeps,
    makes: made.map((M) => masks.findIndex((other) => same(M, other))),
    masks,
    stabiliser,
    orbit,
    countGap: Math.abs(stabiliser * orbit - IN_ALL),
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ mask, order }) =>
  isPermutation(order, N) &&
  mask.length === N &&
  mask.every((row) => row.length === N && row.every((x) => x === 0 || x === 1));

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const flip = (k) => {
    const mask = flipped(read().mask, k);
    parts.clicked = String(mask);
    change({ mask });
  };
  const parts = {
    own: range(N).map((i) => range(N).map((j) => Number(i === 0 || i === j))), // kept while another mask is chosen
    clicked: "", // the mask that the last click made, even one that has a name
    left: buildMask(flip),
    right: drawing(
      "P M Pᵀ",
      (place) => make("rect", { ...place, class: "live-stabiliser-square" }),
    ),
    orders: buildOrders(first, change),
    preset: buildPreset((name) => change({ mask: name in PRESETS ? maskOf(name) : parts.own })),
    counts: { stabiliser: countOf("stabiliser"), orbit: countOf("orbit") },
    counted: make("p", { class: "live-stabiliser-counts" }),
    goals: buildGoals((mask) => change({ mask })),
    laws: verdictList(),
    message: messageLine(),
  };
  const { left, right, orders, preset, counted, goals, laws, message } = parts;
  const reset = button("Back to start", () => change(first));
  el.append(
    hintLine(
      "Click squares of M to fill the list: your own masks that exactly 1, 2, 3, … orders leave alone. Two of the nine stay empty. Which?",
    ),
    div(
      "live-planes live-lean",
      div("live-stabiliser-pair", left.element, right.element),
      div(
        "live-reading live-stabiliser-reading",
        goals.element,
        div("live-controls", preset.element, reset),
        counted,
        laws,
        message,
      ),
    ),
    div("live-title", "The 24 orders, each beside the mask that it makes"),
    div("live-stabiliser-room", orders.list, orders.room),
  );
  return parts;
}

const countOf = (shows) => make("b", { "data-shows": shows });

/**
 * The list that the reader fills: for each number of orders the first mask that so many orders leave
 * alone, and that a touch brings back. `put(size, mask, isOwn)` shows where a mask belongs; only the
 * reader's own are kept.
 */
function buildGoals(act) {
  const found = {};
  const goals = Object.fromEntries(
    GOALS.map((size) => [size, goalOf(size, () => act(found[size]))]),
  );
  const keep = (size, mask) => {
    found[size] = mask;
    goals[size].firstChild.replaceWith(thumbnail(mask));
    goals[size].disabled = false;
    if (!calm()) goals[size].animate({ scale: [1.3, 1] }, { duration: 300, easing: "ease-out" });
  };
  const put = (size, mask, isOwn) => {
    if (isOwn && !found[size]) keep(size, mask);
    GOALS.forEach((one) => {
      goals[one].classList.toggle("live-stabiliser-now", one === size);
      set(goals[one], { "aria-pressed": String(found[one]) === String(mask) });
    });
  };
  const isFull = () => Object.keys(found).length === GOALS.length - 2;
  const list = div("live-stabiliser-goals", Object.values(goals));
  return { element: list, put, isFull };
}

const GOALS = [1, 2, 3, 4, 5, 6, 8, 12, 24]; // 5 and 12 are impossible

const goalOf = (size, onclick) =>
  set(
    make(
      "button",
      {
        type: "button",
        class: "live-stabiliser-goal",
        onclick,
        "aria-label": `the mask that ${size} orders leave alone`,
      },
      thumbnail(range(N).map(() => Array(N).fill(0))),
      make("span", {}, String(size)),
    ),
    { disabled: "" },
  );

/** A small picture of a mask. */
function thumbnail(M) {
  const square = (x, k) =>
    make("rect", {
      x: 10 * (k % N),
      y: 10 * Math.floor(k / N),
      width: 9,
      height: 9,
      class: x ? "live-stabiliser-on" : "live-stabiliser-off",
    });
  return make("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" }, M.flat().map(square));
}

/** A mask with its square k, counted row by row, turned over. */
const flipped = (mask, k) => mask.map((row, i) => row.map((x, j) => (N * i + j === k ? 1 - x : x)));

/** The list of masks to begin with, and the reader's own. */
function buildPreset(act) {
  const names = [...NAMES, "your own"].map((name) => [name, SHOWN[name] ?? name]);
  return choice(_("mask"), Object.fromEntries(names), act);
}

/** The mask whose squares are clicked, or pressed by a key. */
function buildMask(flip) {
  const press = (k) => (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    flip(k);
  };
  const click = (k) => () => {
    here(mask.cells[k]);
    flip(k);
  };
  const square = (place, k) =>
    make("rect", {
      ...place,
      class: "live-stabiliser-square live-stabiliser-own",
      tabindex: -1,
      role: "checkbox",
      "aria-label": `query ${Math.floor(k / N)} may look at key ${k % N}`,
      onkeydown: press(k),
      onclick: click(k),
    });
  const mask = drawing("Mask M", square);
  const here = roving(mask.element, () => mask.cells, N);
  here(mask.cells[0]);
  return mask;
}

/** A mask with the numbers of its rows and columns; `put(M, order, changed)` draws it. */
function drawing(title, square) {
  const names = [
    range(N).map((i) => text(16, 48 + 40 * i)),
    range(N).map((i) => text(44 + 40 * i, 16)),
  ];
  const cells = range(N * N).map((k) => square(placeOf(k, 26, 24, 36, 36), k));
  const lines = range(N * N).map((k) =>
    make("rect", { class: "live-stabiliser-new", ...placeOf(k, 31, 51, 26, 4) })
  );
  const look = { viewBox: "0 0 190 188", role: "group", class: "live-stabiliser" };
  const svg = make("svg", { ...look, "aria-label": title }, names, cells, lines);
  const element = div("live-stabiliser-mask", div("live-title", title), svg);
  const put = (M, order, changed = () => false) => {
    names.forEach((side) => side.forEach((name, i) => write(name, String(order[i]))));
    M.flat().forEach((x, k) => {
      cells[k].classList.toggle("live-stabiliser-on", x === 1);
      set(lines[k], { visibility: changed(k) ? "visible" : "hidden" });
    });
  };
  return { element, cells, put };
}

const text = (x, y) =>
  make("text", { class: "live-label live-stabiliser-text", x, y, "text-anchor": "middle" }, "");

/** Where something of square k is that in square 0 is at x and y. */
const placeOf = (k, x, y, width, height) => ({
  x: x + 40 * (k % N),
  y: y + 40 * Math.floor(k / N),
  width,
  height,
});

/** The list of the orders, and the room that it can take. */
function buildOrders(first, change) {
  const chips = ORDERS.map((order) => chipOf(order, () => change({ order })));
  const look = { role: "group", "aria-label": "24 orders", class: "live-stabiliser-orders" };
  const list = make("div", look, chips);
  const stand = () => make("span", { class: "live-button live-stabiliser-order" });
  const room = make(
    "div",
    { class: "live-stabiliser-orders", "aria-hidden": "true" }, // as high as the list can become
    ORDERS.map(() => groupOf(first.mask, [stand()])),
  );
  const stop = roving(list, () => [...list.querySelectorAll("button")], 1);
  return { chips, list, room, stop, grouped: null };
}

/** The button of an order. */
const chipOf = (order, onclick) =>
  make(
    "button",
    {
      type: "button",
      class: "live-button live-stabiliser-order",
      tabindex: -1,
      onclick,
    },
    order.join(" "),
  );

/** A mask beside the orders that make it. */
function groupOf(M, orders) {
  const width = 3.1 * Math.ceil(orders.length / 4);
  const chips = make("div", { style: `max-width: ${width}rem` }, orders);
  return div("live-stabiliser-group", thumbnail(M), chips);
}

/**
 * Of the elements `all()` in a box one is a stop for Tab, and arrow keys go from one to the next,
 * `columns` to a row. Returns a function that makes one of them the stop.
 */
function roving(box, all, columns) {
  const stopAt = (one) =>
    all().forEach((element) => set(element, { tabindex: element === one ? 0 : -1 }));
  arrows(box, (dx, dy) => {
    const elements = all();
    const k = elements.indexOf(document.activeElement);
    const next = elements[clamp(k + dx - columns * dy, 0, elements.length - 1)];
    stopAt(next);
    next.focus();
  });
  return stopAt;
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, { mask, order }, result, { hidden }) {
  const { left, right, orders, preset, goals, laws } = parts;
  const name = NAMES.find((other) => String(maskOf(other)) === String(mask));
  if (!name) parts.own = mask;
  preset.put(name || "your own");
  left.put(mask, range(N));
  left.cells.forEach((cell, k) => set(cell, { "aria-checked": mask.flat()[k] === 1 }));
  right.put(result.moved, order, (k) => result.moved.flat()[k] !== mask.flat()[k]);
  group(orders, mask, result, hidden);
  drawOrders(orders, order, result, hidden);
  const { stabiliser, orbit, countGap } = result;
  if (!hidden) goals.put(stabiliser, mask, !name || parts.clicked === String(mask));
  drawCounts(parts, result, hidden);
  laws.replaceChildren(verdict(`${stabiliser} × ${orbit}`, "24", countGap));
  laws.toggleAttribute("data-away", hidden);
}

/** How many orders leave the mask alone, and how many masks they make of it. */
function drawCounts({ counts, counted }, result, hidden) {
  for (const [shows, cell] of Object.entries(counts)) {
    write(cell, hidden ? "?" : String(result[shows]));
  }
  const one = "{stabiliser} of 24 orders leaves M alone; they make {orbit} different masks of it.";
  const some = "{stabiliser} of 24 orders leave M alone; they make {orbit} different masks of it.";
  const all = "{stabiliser} of 24 orders leave M alone; they make {orbit} mask of it.";
  const { stabiliser } = result;
  if (hidden) tell(counted, some, counts);
  else tell(counted, { 1: one, [IN_ALL]: all }[stabiliser] ?? some, counts);
}

/** Puts the orders into groups, unless they are already in these: an order may have the focus. */
function group(orders, mask, { masks, makes }, hidden) {
  if (orders.grouped === `${hidden} ${mask}`) return;
  orders.grouped = `${hidden} ${mask}`;
  const { chips, list } = orders;
  const groups = masks.map((M, m) => groupOf(M, chips.filter((_x, k) => makes[k] === m)));
  list.replaceChildren(...(hidden ? chips : groups));
}

/** Marks the chosen order, and says of each what it makes. */
function drawOrders({ chips, stop }, order, result, hidden) {
  const chosen = ORDERS.findIndex((other) => String(other) === String(order));
  chips.forEach((chip, k) => {
    const name = ORDERS[k].join(" ");
    set(chip, {
      "aria-pressed": k === chosen,
      "aria-label": hidden ? name : `${name}, ${makesOf(result, k)}`,
    });
  });
  stop(chips[chosen]);
}

/** What order k makes of the mask. */
const makesOf = ({ keeps, makes, orbit }, k) =>
  keeps[k] ? "leaves M alone" : `makes mask ${makes[k] + 1} of ${orbit}`;

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, result, { hidden, goals }) {
  if (hidden) return "Orders and masks are hidden until you have answered.";
  const found = goals.isFull()
    ? "All seven that exist are found. 5 does not divide 24, and none of the 65,536 masks has 12."
    : "";
  return [sentence(state, result), found];
}

/** What is said of the mask and the chosen order. */
function sentence({ mask }, { stabiliser, changed }) {
  const blind = mask.findIndex((row) => !row.includes(1));
  if (blind >= 0) return `Query ${blind} may look at no key: softmax gives it no weights.`;
  if (changed === 0) {
    return stabiliser === 1
      ? "Only the order 0 1 2 3 leaves M alone."
      : "The chosen order leaves M alone.";
  }
  return stabiliser === 1
    ? "Only the chosen order makes P M Pᵀ."
    : `${stabiliser} orders make P M Pᵀ.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
