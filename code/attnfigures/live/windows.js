// A stack of windows: which inputs reach an output through layers whose queries see few keys, and how much of each.
const TOKENS = 16, RANGES = { layers: [1, 4], window: [1, 8], sinks: [0, 2], query: [0, TOKENS - 1] };
const NAMES = Object.keys(RANGES);

/** The mask: whether query i (row) sees key j (column). */
const maskOf = (window, sinks) => range(TOKENS).map((i) => range(TOKENS).map((j) => j <= i && (i - j < window || j < sinks)));

/** The tokens below that some token of `above`, a list of 0 and 1, looks at. */
const below = (above, M) => range(TOKENS).map((j) => (above.some((yes, i) => yes && M[i][j]) ? 1 : 0));

/** Which tokens reach the output, level by level, and what each input contributes if all weights of a row are equal. */
function compute({ layers, window, sinks, query }) {
  const M = maskOf(window, sinks), bare = maskOf(window, 0);
  const A = M.map((row) => { const seen = row.filter(Boolean).length; return row.map((yes) => (yes ? 1 / seen : 0)); });
  const output = range(TOKENS).map((j) => (j === query ? 1 : 0)), reached = [output];
  let shares = output, windowed = output;
  for (let l = 0; l < layers; l++) {
    reached.push(below(reached[l], M));
    windowed = below(windowed, bare);
    shares = matmul([shares], A)[0];
  }
  const back = query - windowed.indexOf(1), count = (row) => row.filter(Boolean).length;
  return { reached, shares, largest: Math.max(...shares), inputs: count(reached[layers]), keys: count(M[query]), back,
    backGap: Math.abs(back - Math.min(query, layers * (window - 1))) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) => NAMES.every((name) =>
  Number.isInteger(state[name]) && state[name] >= RANGES[name][0] && state[name] <= RANGES[name][1]);

// places in the drawing, which is 340 wide and 260 high: a column for each token, a row for each level, bars below
const toX = (j) => 20 + 20 * j, toY = (level, layers) => 156 - (136 * level) / layers, FLOOR = 236, HIGH = 54;
const text = (x, y, words, anchor = "middle") =>
  make("text", { class: "live-label live-windows-text", x, y, "text-anchor": anchor }, words);

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const put = (name, x) => change({ [name]: clamp(Math.round(x), ...RANGES[name]) });
  const most = RANGES.layers[1];

  // the levels, from the inputs up, with all dots; the edges that lead to the output; a bar for each input
  const near = make("path", { class: "live-windows-edge live-blue" });
  const far = make("path", { class: "live-windows-edge live-windows-far live-ink" });
  const dots = range(most + 1).map((level) => range(TOKENS).map((j) =>
    make("circle", { class: "live-windows-dot live-blue", cx: toX(j), r: 4.5 })));
  const bars = range(TOKENS).map((j) => make("rect", { class: "live-windows-bar live-blue", x: toX(j) - 7, width: 14 }));
  const largest = set(text(0, 0, ""), { "data-shows": "largest" });
  const svg = make("svg", { viewBox: "0 0 340 260", role: "group", class: "live-windows", "aria-label":
    "Tokens from left to right, layers from the inputs up, and the edges that lead to one output" }, near, far, dots,
  make("line", { class: "live-axis", x1: 10, x2: 330, y1: FLOOR, y2: FLOOR }), bars, largest,
  range(TOKENS).map((j) => text(toX(j), 250, String(j))));
  const drag = (x) => put("query", (x - 20) / 20);
  const move = handle(svg, "the output", "live-orange", mark(3, 8), drag, (dx, dy) => put("query", read().query + dx + dy));

  // controls and readings
  const ends = (name, words) => ({ min: RANGES[name][0], max: RANGES[name][1], step: 1, text: words });
  const sliders = { layers: ["layers L", String], window: ["window w", (n) => (n === 1 ? "1 key" : `${n} keys`)],
    sinks: [_("sinks"), String] };
  const made = Object.entries(sliders).map(([name, [label, words]]) => [name, slider(label, ends(name, words), (x) => put(name, x))]);
  const [inputs, keys, back] = ["inputs", "keys", "back"].map((part) => make("td", { "data-shows": part }));
  const row = (name, cell) => make("tr", {}, make("th", { scope: "row" }, name), cell);
  const table = make("table", { class: "live-table live-windows-table" }, make("tbody", {}, row("inputs that reach the output", inputs),
    row("farthest back, through windows", back), row("keys that the output sees in a layer", keys)));
  const laws = make("ul", { class: "live-verdicts" }), message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Add a layer: how much farther does the output see? Then make the first token a sink: which inputs does that bring back?"),
  make("div", { class: "live-planes live-lean" }, make("div", { class: "live-windows-plot" },
    make("div", { class: "live-title" }, "What reaches the output"), svg), make("div", { class: "live-reading" },
    make("div", { class: "live-controls" }, made.map(([, { element }]) => element), button("Back to start", () => change(first))),
    table, laws, message)));
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    const { layers, window, sinks, query } = state, M = maskOf(window, sinks);
    const lines = [[], []];
    result.reached.slice(0, -1).forEach((above, down) => above.forEach((yes, i) => { if (yes) M[i].forEach((sees, j) => {
      const [from, to] = [layers - down, layers - down - 1];
      if (sees) lines[i - j < window ? 0 : 1].push(`M${toX(i)} ${toY(from, layers)}L${toX(j)} ${toY(to, layers)}`);
    }); }));
    [near, far].forEach((path, k) => set(path, { d: hidden ? "" : lines[k].join("") }));
    dots.forEach((level, l) => level.forEach((dot, j) => {
      set(dot, { cy: toY(Math.min(l, layers), layers), visibility: l > layers ? "hidden" : "visible" });
      dot.classList.toggle("live-windows-reached", !hidden && l <= layers && result.reached[layers - l][j] === 1);
    }));
    bars.forEach((bar, j) => {
      const height = hidden ? 0 : hundredth((HIGH * result.shares[j]) / result.largest);
      set(bar, { y: hundredth(FLOOR - height), height });
    });
    const spoken = hidden ? `token ${query}` : result.inputs === 1 ? `token ${query}: 1 input of ${query + 1}` : `token ${query}: ${result.inputs} inputs of ${query + 1}`;
    move([toX(query), toY(layers, layers)], spoken, { now: query, min: 0, max: TOKENS - 1 });
    made.forEach(([name, { put: place }]) => place(state[name]));
    const told = [[inputs, String(result.inputs)], [back, String(result.back)], [keys, String(result.keys)]];
    told.forEach(([cell, words]) => write(cell, hidden ? "?" : words));
    const at = result.shares.indexOf(result.largest);
    write(set(largest, { x: toX(at), y: FLOOR - HIGH - 4 }), hidden ? "" : show(result.largest));
    const law = layers * (window - 1) > query ? `${query}, where the text begins` : `L(w − 1) = ${layers} · ${window - 1}`;
    const moved = layers !== first.layers || window !== first.window; // before that, it would give the law away
    laws.replaceChildren(hidden || !moved ? "" : verdict(`farthest back ${result.back}`, law, result.backGap));
    write(message, hidden ? "The inputs are hidden until you have answered." : sentence(state, result));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ layers, sinks, query }, { reached }) {
  const lost = range(query + 1).filter((j) => !reached[layers][j]);
  if (!lost.length) return query ? `All ${query + 1} tokens up to token ${query} reach its output.` : "Token 0 sees only itself.";
  const [from, to] = [lost[0], lost[lost.length - 1]];
  if (from === to) return sinks ? `Input ${from} never reaches output ${query}, and no sink brings it back: a sink sees only sinks.` : `Input ${from} never reaches output ${query}.`;
  return sinks ? `Inputs ${from} to ${to} never reach output ${query}, and no sink brings them back: a sink sees only sinks.`
    : `Inputs ${from} to ${to} never reach output ${query}.`;
}

export default { initialize, render, compute, valid };
