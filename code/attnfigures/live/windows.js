// A stack of windows: which inputs reach an output through layers whose queries see few keys, and
// how much of each. What is not defined here, such as `range`, `handle` or `initialize`, is a
// function of kit/core.js or kit/parts.js, which stand in front of every figure. One of them is `_`:
// it marks a text to be translated that the search for messages does not find by itself.
//
// `composed`, at the end, calls the stages of a figure:
//
//   parts = build(stage)                            once
//   result = compute(state)                         at first, after every change, and once the
//   draw(parts, state, result, stage)               question is answered; what `speak` returns is
//   speak(state, result, { ...stage, ...parts })    written into `parts.message`
//
// The stage has
// - `el`, the element that holds the figure,
// - `read()`, which returns the state: the numbers that `compute` takes,
// - `change(part)`, which changes some of them, as in `change({ query: 3 })`,
// - `first`, the state at the beginning,
// - `hidden`, true until the reader has answered the question of the figure, if it has one: not known
//   before the figure is built, so for `draw` and `speak` alone.

const TOKENS = 16;
const LAST = TOKENS - 1;
const RANGES = { layers: [1, 4], window: [1, 8], sinks: [0, 2], query: [0, LAST] };
const tokens = range(TOKENS);

// ---- compute -------------------------------------------------------------------------------------

/** The mask: whether query i (row) sees key j (column). */
const maskOf = (window, sinks) =>
  tokens.map((i) => tokens.map((j) => j <= i && (i - j < window || j < sinks)));

/** How many entries of a row are true, or not 0. */
const count = (row) => row.filter(Boolean).length;

/** The weights of a query that attends equally to all keys that it sees. */
const equalWeights = (row) => row.map((sees) => Number(sees) / count(row));

/** For each token, 1 if a query sees it as a key under the mask M, else 0; `isQuery` marks the queries. */
const keysSeenBy = (isQuery, M) =>
  tokens.map((j) => Number(tokens.some((i) => isQuery[i] && M[i][j])));

/** For each level, from the output down, 1 for a token that reaches the output under M, else 0. */
function reachedUnder(M, layers, output) {
  const reached = [output];
  for (let depth = 0; depth < layers; depth++) reached.push(keysSeenBy(reached[depth], M));
  return reached;
}

/** The tokens that a row of 0 and 1, or of false and true, marks. */
const marked = (row) => tokens.filter((j) => row[j]);

/**
 * What reaches the output `query`, and how much of it, if every query attends equally to all keys
 * that it sees:
 * - `reached`: for each level, from the output down, 1 for a token that reaches the output, else 0,
 * - `shares`: what each input contributes to the output,
 * - `largest`: the largest of these shares,
 * - `inputs` and `edges`: how many of them reach the output,
 * - `back`: how many tokens back the output sees through windows alone,
 * - `backGap`: how far `back` is from the law, min(query, L(w − 1)).
 */
function compute({ layers, window, sinks, query }) {
  const M = maskOf(window, sinks);
  const A = M.map(equalWeights);
  const output = tokens.map((j) => Number(j === query));
  const reached = reachedUnder(M, layers, output);
  const queries = reached.slice(0, -1).flatMap(marked);
  const edges = total(queries.map((i) => count(M[i])));
  const shares = range(layers).reduce((row) => matmul([row], A)[0], output);
  const reachedByWindows = reachedUnder(maskOf(window, 0), layers, output);
  const back = query - reachedByWindows.at(-1).indexOf(1);
  return {
    reached,
    shares,
    largest: Math.max(...shares),
    inputs: count(reached.at(-1)),
    edges,
    back,
    backGap: Math.abs(back - Math.min(query, layers * (window - 1))),
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) =>
  Object.entries(RANGES).every(([name, [least, most]]) => {
    const x = state[name];
    return Number.isInteger(x) && x >= least && x <= most;
  });

// ---- build ---------------------------------------------------------------------------------------
// The drawing has a column for each token, a row for each level, and bars below.

const WIDTH = 340;
const HEIGHT = 260;
const LEFT = 20; // where token 0 stands
const SPACING = 20; // from one token to the next
const INPUTS = 156; // the row of the inputs
const OUTPUTS = 20; // the row of the last layer
const BASELINE = 236; // where the bars stand
const BAR_HEIGHT = 54; // the height of the highest bar
const NUMBERS = 250; // the row of the numbers below the bars
const LABEL_END = 42; // the least x at which the label "w = 8", which ends there, is in the drawing
const toX = (j) => LEFT + SPACING * j;
const toY = (depth, layers) => OUTPUTS + ((INPUTS - OUTPUTS) * depth) / layers;

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  // Changes one number, to the nearest that it may be.
  const choose = (name, x) => change({ [name]: clamp(Math.round(x), ...RANGES[name]) });
  const plot = buildPlot(read, choose);
  const sliders = buildSliders(choose);
  const table = buildTable();
  const laws = verdictList();
  const message = messageLine();
  const controls = Object.values(sliders).map(({ element }) => element);
  const reset = button("Back to start", () => change(first));
  el.append(
    hintLine(`Let output ${LAST} see input 0 over as few edges as you can.`),
    div(
      "live-planes live-lean",
      div("live-windows-plot", div("live-title", "What reaches the output"), plot.svg),
      div(
        "live-reading",
        div("live-controls", controls, reset),
        table.element,
        laws,
        message,
      ),
    ),
  );
  return { plot, sliders, cells: table.cells, laws, message };
}

/** The levels with all their dots, the edges that lead to the output, and a bar for each input. */
function buildPlot(read, choose) {
  const windowEdges = make("path", { class: "live-windows-edge live-blue" });
  const sinkEdges = make("path", { class: "live-windows-edge live-windows-far live-ink" });
  const longestWay = make("polyline", { class: "live-windows-farthest live-blue" });
  const circle = (j) => make("circle", { class: "live-windows-dot live-blue", cx: toX(j), r: 4.5 });
  const dots = range(RANGES.layers[1] + 1).map(() => tokens.map(circle));
  const axis = make("line", { class: "live-axis", x1: 10, x2: 330, y1: BASELINE, y2: BASELINE });
  const bar = (j) =>
    make("rect", { class: "live-windows-bar live-blue", x: toX(j) - 7, width: 14 });
  const bars = tokens.map(bar);
  const centred = { class: "live-label live-windows-text", "text-anchor": "middle" };
  const largestLabel = make("text", { ...centred, "data-shows": "largest" });
  const numbers = tokens.map((j) => make("text", { ...centred, x: toX(j), y: NUMBERS }, String(j)));
  const look = {
    class: "live-windows",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "group",
    "aria-label":
      "Tokens from left to right, layers from the inputs up, and the edges that lead to one output",
  };
  const svg = make(
    "svg",
    look,
    windowEdges,
    sinkEdges,
    longestWay,
    dots,
    axis,
    bars,
    largestLabel,
    numbers,
  );
  const outputHandle = buildOutputHandle(svg, read, choose);
  const windowHandle = buildWindowHandle(svg, read, choose);
  return {
    svg,
    windowEdges,
    sinkEdges,
    longestWay,
    dots,
    bars,
    largestLabel,
    outputHandle,
    windowHandle,
  };
}

/** The handle of the output, which goes to the right for the arrow up, too. */
function buildOutputHandle(svg, read, choose) {
  const onDrag = (x) => choose("query", (x - LEFT) / SPACING);
  const onStep = (dx, dy) => choose("query", read().query + dx + dy);
  const put = handle(svg, "the output", "live-orange", shapeOf("diamond", 8), onDrag, onStep);
  return { put };
}

/** The handle at the first key of the window, as far back as the output sees in one layer. */
function buildWindowHandle(svg, read, choose) {
  const label = make("text", { class: "live-label live-windows-text", "text-anchor": "end" });
  svg.append(label);
  // Further left is further back: a larger window.
  const onDrag = (x) => choose("window", read().query - (x - LEFT) / SPACING + 1);
  const onStep = (dx, dy) => choose("window", read().window - dx + dy);
  const put = handle(svg, "window w", "live-orange", shapeOf("square", 6), onDrag, onStep);
  return { label, put };
}

/**
 * A slider for each number of the state that is not dragged in the drawing. The label "sinks" is
 * marked, as a single word looks like a name in code.
 */
function buildSliders(choose) {
  const made = (name, label) => {
    const [min, max] = RANGES[name];
    return slider(label, { min, max, step: 1, text: String }, (x) => choose(name, x));
  };
  return {
    layers: made("layers", "layers L"),
    sinks: made("sinks", _("sinks")),
  };
}

/** The table of what is counted. */
function buildTable() {
  const cell = (name) => make("td", { "data-shows": name });
  const cells = { inputs: cell("inputs"), edges: cell("edges") };
  const row = (name, td) => make("tr", {}, make("th", { scope: "row" }, name), td);
  const body = make(
    "tbody",
    {},
    row("inputs that reach the output", cells.inputs),
    row("edges that lead to the output", cells.edges),
  );
  return { element: make("table", { class: "live-table live-windows-table" }, body), cells };
}

// ---- draw ----------------------------------------------------------------------------------------

/**
 * Writes a state and what `compute` returns for it into the elements. `hidden` is true until the
 * reader has answered the question.
 */
function draw({ plot, sliders, cells, laws }, state, result, { first, hidden }) {
  drawLevels(plot, state, result, hidden);
  drawBars(plot, result, hidden);
  drawOutput(plot, state, result, hidden);
  drawWindowHandle(plot, state);
  for (const [name, { put }] of Object.entries(sliders)) put(state[name]);
  for (const [name, td] of Object.entries(cells)) write(td, hidden ? "?" : String(result[name]));
  // The law gives the answer away until the reader has changed L or w.
  const moved = state.layers !== first.layers || state.window !== first.window;
  laws.replaceChildren(hidden || !moved ? "" : lawOf(state, result));
}

/** The dots of all levels that are there, the edges that lead to the output, and the longest way back. */
function drawLevels({ windowEdges, sinkEdges, longestWay, dots }, state, { reached }, hidden) {
  const { layers } = state;
  const paths = pathsOf(state, reached);
  set(windowEdges, { d: hidden ? "" : paths.toWindow });
  set(sinkEdges, { d: hidden ? "" : paths.toSinks });
  set(longestWay, { points: hidden ? "" : wayBack(state).join(" ") });
  dots.forEach((row, depth) => {
    const isThere = depth <= layers;
    const look = {
      cy: toY(Math.min(depth, layers), layers), // a row that is not there lies on the inputs
      visibility: isThere ? "visible" : "hidden",
    };
    row.forEach((circle, j) => {
      const isMarked = isThere && !hidden && reached[depth][j] === 1;
      set(circle, look);
      circle.classList.toggle("live-windows-reached", isMarked);
    });
  });
}

/** Paths along the edges that lead to the output: to keys in a window, and to sinks before it. */
function pathsOf({ layers, window, sinks }, reached) {
  const M = maskOf(window, sinks);
  const paths = { toWindow: "", toSinks: "" };
  for (let depth = 0; depth < layers; depth++) {
    for (const i of marked(reached[depth])) {
      for (const j of marked(M[i])) {
        const kind = i - j < window ? "toWindow" : "toSinks";
        paths[kind] += `M${toX(i)} ${toY(depth, layers)}L${toX(j)} ${toY(depth + 1, layers)}`;
      }
    }
  }
  return paths;
}

/** The way through windows that goes back as far as it can: to the first key of each. */
const wayBack = ({ layers, window, query }) =>
  range(layers + 1).map((depth) => [
    toX(Math.max(query - depth * (window - 1), 0)),
    toY(depth, layers),
  ]);

/** A bar for what each input contributes, and the number of the largest. */
function drawBars({ bars, largestLabel }, { shares, largest }, hidden) {
  bars.forEach((bar, j) => {
    const height = hidden ? 0 : hundredth((BAR_HEIGHT * shares[j]) / largest);
    set(bar, { y: hundredth(BASELINE - height), height });
  });
  set(largestLabel, { x: toX(shares.indexOf(largest)), y: BASELINE - BAR_HEIGHT - 4 });
  write(largestLabel, hidden ? "" : show(largest));
}

/** The handle of the output, and what it says. */
function drawOutput({ outputHandle: { put } }, { layers, query }, result, hidden) {
  const words = result.inputs === 1
    ? `token ${query}: 1 input of ${query + 1}`
    : `token ${query}: ${result.inputs} inputs of ${query + 1}`;
  const spoken = hidden ? `token ${query}` : words;
  put([toX(query), toY(0, layers)], spoken, { now: query, min: 0, max: LAST });
}

/** The handle at the first key of the window, and the number of keys in it. */
function drawWindowHandle({ windowHandle: { label, put } }, { layers, window, query }) {
  const [least, most] = RANGES.window;
  const x = toX(Math.max(query - window + 1, 0));
  const y = toY(1, layers);
  put([x, y], window === 1 ? "1 key" : `${window} keys`, { now: window, min: least, max: most });
  set(label, { x: Math.max(x, LABEL_END), y: y - 12 });
  write(label, `w\u00a0=\u00a0${window}`);
}

/** The law for how far back an output sees through windows alone. */
function lawOf({ layers, window, query }, result) {
  const law = layers * (window - 1) > query
    ? `${query}, where the text begins`
    : `L(w − 1) = ${layers} · ${window - 1}`;
  return verdict(`farthest back ${result.back}`, law, result.backGap);
}

// ---- speak ---------------------------------------------------------------------------------------

/** All values that a number of the state may have. */
const valuesOf = ([least, most]) => range(most - least + 1).map((n) => least + n);

/** All states in which the last token is the output, with sinks or without. */
function statesOfLast(withSinks) {
  const sinkCounts = valuesOf(RANGES.sinks).filter((sinks) => (sinks > 0) === withSinks);
  return valuesOf(RANGES.layers).flatMap((layers) =>
    valuesOf(RANGES.window).flatMap((window) =>
      sinkCounts.map((sinks) => ({ layers, window, sinks, query: LAST }))
    )
  );
}

/** Over how few edges the last output can see input 0: with sinks, or without. */
const fewestEdges = memoize((withSinks) => {
  const results = statesOfLast(withSinks).map(compute);
  const seeing = results.filter(({ reached }) => reached.at(-1)[0] === 1);
  return Math.min(...seeing.map(({ edges }) => edges));
});

/**
 * What the figure says in words: which inputs are lost, and whether the last output sees the first
 * one. Where it returns two texts, the second is what the reader was to find, and is marked as found.
 */
function speak(state, result, { hidden }) {
  if (hidden) return "The inputs are hidden until you have answered.";
  const now = lostText(state, result);
  const isSeen = state.query === LAST && result.reached.at(-1)[0] === 1;
  if (!isSeen) return now;
  if (result.edges > fewestEdges(state.sinks > 0)) {
    return paragraph(now, `Output ${LAST} sees input 0 over ${result.edges} edges.`);
  }
  const found = state.sinks
    ? `Over ${result.edges} edges: no fewer will do. Can you do it without a sink?`
    : `Over ${result.edges} edges: without a sink no fewer will do.`;
  return [now, found];
}

/** Which inputs never reach the output. */
function lostText({ sinks, query }, { reached }) {
  if (query === 0) return "Token 0 sees only itself.";
  const lost = range(query + 1).filter((j) => !reached.at(-1)[j]);
  if (!lost.length) return `All ${query + 1} tokens up to token ${query} reach its output.`;
  const from = lost[0];
  const to = lost.at(-1);
  if (from === to) {
    return sinks
      ? `Input ${from} never reaches output ${query}, and no sink brings it back: a sink sees only sinks.`
      : `Input ${from} never reaches output ${query}.`;
  }
  return sinks
    ? `Inputs ${from} to ${to} never reach output ${query}, and no sink brings them back: a sink sees only sinks.`
    : `Inputs ${from} to ${to} never reach output ${query}.`;
}

// What a page and a notebook ask of a figure: `initialize` is the same for all.
const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
