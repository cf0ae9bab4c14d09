// The search: it finds the sections that fit a question best, and lists them while the reader types.
// MiniSearch keeps the index and ranks by BM25; it is told here what a word is, and which words mean the same.
const bookSearch = (function (index) {
  // Titles count more than words of the text, and what few readers look for comes last.
  const WEIGHTS = { page: 0.7, title: 2, boxes: 4, text: 1 };
  const KINDS = { page: 1.1, section: 1, term: 1, exercise: 0.6, name: 0.5, solution: 0.25 };
  // Words that say nothing, which are not indexed, and words that say little. Whoever asks why looks for a reason.
  const COMMON =
    "a an and are as at be between by can could did do does for from has have how i if in is it its many me much " +
    "my not of on or should so than that the their there this to vs was we what when which why will with would you your " +
    "的 了 吗 呢 么 是 和 与 或 在 有 把 被 对 也 要 能 会 我 什么 为什么 为何 怎么 怎样 如何 哪些 哪个 多少";
  const FAINT =
    "actually array code difference exactly happens help just know make meaning need numpy purpose pytorch " +
    "python really torch used use using whether works 区别 作用";
  const FAINTLY = 0.25;
  const SYNONYM = 0.7;
  const REASON = 1.4;
  const WHY = /\bwhy\b|为什么|为何/i;
  const WORD = /\p{sc=Han}+|(?:(?!\p{sc=Han})[\p{L}\p{N}])+/gu;
  const chinese = new Intl.Segmenter("zh", { granularity: "word" }); // Chinese has no blanks between its words
  const cut = (run) =>
    /\p{sc=Han}/u.test(run) ? [...chinese.segment(run)].map(({ segment }) => segment) : [run];

  // d_k, W_Q and QK^T are one word each; key_padding_mask and MultiheadAttention are as many as a reader sees in them.
  const LETTER = /(?<!\p{L})(\p{L})_(?=[\p{L}\p{N}]{1,2}(?![\p{L}\p{N}]))/gu;
  const CAMEL = /(\p{Ll}{3})(?=\p{Lu}\p{Ll})/gu;
  const spelled = (text) =>
    text.normalize("NFKD").replace(/\p{M}|[’'^]/gu, "").replace(/√/g, " sqrt ")
      .replace(LETTER, "$1").replace(CAMEL, "$1 ").toLowerCase();
  const allWords = (text) => (spelled(text).replaceAll("_", " ").match(WORD) ?? []).flatMap(cut);
  const words = (text) => allWords(text).filter((word) => !common.has(word)).map(stem);

  // The part of a word that its forms share: mask, masks, masked and masking are one word, and so are its spellings.
  const stems = new Map();
  function stem(word) {
    if (!stems.has(word)) stems.set(word, shortened(word));
    return stems.get(word);
  }
  function shortened(word) {
    if (word.length < 4) return word;
    const one = word.replace(/ices$/, "ix").replace(/ies$/, "y").replace(/([^suia])s$/, "$1")
      .replace(/iz(?=e|ing|ation|able)/, "is").replace(/our$/, "or");
    return one.length < 5
      ? one
      : one.replace(/(?:ing|ed|e)$/, (end) => (one.length - end.length < 3 ? end : ""));
  }
  const common = new Set(COMMON.split(" "));
  const faint = new Set(FAINT.split(" ").map(stem));

  const known = new Set(); // every word of the book
  const engine = new MiniSearch({
    fields: Object.keys(WEIGHTS),
    storeFields: ["address", "page", "title", "text", "rank", "reason"],
    tokenize: words,
    processTerm: (word) => {
      known.add(word);
      return word;
    },
    searchOptions: {
      processTerm: (word) => word,
      boost: WEIGHTS,
      // A word that is nowhere may be the beginning of one that is still being typed, or misspelled.
      prefix: (word) => !known.has(word) && word.length >= 3,
      fuzzy: (word) => !known.has(word) && word.length >= 5 && 0.2,
    },
  });

  const groups = [];
  const ready = index.then(async function ({ pages, synonyms }) {
    groups.push(...synonyms.map((names) => names.map(words).filter((name) => name.length)));
    const entries = pages.flatMap(entriesOf).map((entry, id) => ({ id, ...entry }));
    await engine.addAllAsync(entries, { chunkSize: 30 }); // between these the reader can type
  });

  function entriesOf({ address, title: page, rank, entries }) {
    return entries.map(([anchor, kind, title, boxes, text]) => ({
      address: address + (anchor && `#${anchor}`),
      page,
      title,
      boxes,
      text,
      rank: rank * KINDS[kind],
      reason: WHY.test(title),
    }));
  }

  // What a question asks for, as a query of MiniSearch: a list of ideas, each any of its names, each all of its words.
  // Words that have a name together are one idea.
  function asked(question) {
    const list = words(question);
    const ideas = [];
    for (let i = 0; i < list.length;) {
      const named = groups.flatMap((names) =>
        names.filter((name) => startsAt(list, name, i)).map((name) => ({ name, names }))
      );
      const length = Math.max(1, ...named.map(({ name }) => name.length));
      const own = list.slice(i, i + length);
      const others = named.filter(({ name }) => name.length === length).flatMap(({ names }) =>
        names
      );
      const weight = own.every((word) => faint.has(word)) ? FAINTLY : 1;
      ideas.push(any([all(own, weight), ...others.map((name) => all(name, SYNONYM * weight))]));
      i += length;
    }
    return any(ideas);
  }
  const startsAt = (list, name, i) => name.every((word, k) => list[i + k] === word);
  const any = (queries) => ({ combineWith: "OR", queries });
  const all = (name, weight) => ({
    combineWith: "AND",
    queries: name,
    tokenize: (word) => [word],
    boostTerm: () => weight,
  });

  // The entries that fit a question, best first; the `terms` of each are the words of it that fit.
  function search(question) {
    const why = WHY.test(question);
    const boostDocument = (id, word, { rank, reason }) => rank * (why && reason ? REASON : 1);
    return engine.search(asked(question), { boostDocument });
  }

  // Whether a word of a text is one of those for which an entry was found.
  const fits = ({ terms }) => (text) => words(text).some((word) => terms.includes(word));
  return { search, fits, cut, ready };
})(
  new Promise((resolve) => { // the index is larger than all else: it is asked for when the page is there
    const { index: src } = document.currentScript.dataset;
    const onload = () => resolve(searchIndex);
    addEventListener(
      "load",
      () => document.head.append(Object.assign(document.createElement("script"), { src, onload })),
    );
  }),
);

(function () {
  const SHOWN = 30;
  const LETTERS = 240;
  const form = document.querySelector("main form.bd-search");
  const field = form.querySelector("input");
  const summary = document.querySelector(".search-summary");
  const list = document.querySelector("#search-results");

  function make(tag, attributes, ...children) {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  }

  // The sentences around the one that holds most of the words, with these words marked.
  function excerpt(text, asked) {
    const parts = (part) => part.split(/( |\p{sc=Han}+)/u).flatMap(bookSearch.cut);
    const sentences = text.split(/(?<=[.?!] |[。？！])/);
    const hits = sentences.map((one) => parts(one).filter(asked).length);
    const best = hits.indexOf(Math.max(...hits));
    const rest = sentences.slice(best).join("");
    const cut = rest.length > LETTERS
      ? `${rest.slice(0, LETTERS + 1).replace(/ ?[^ \p{sc=Han}]*$/u, "")} …`
      : rest;
    return [
      best ? "… " : "",
      ...parts(cut).map((word) => (asked(word) ? make("mark", {}, word) : word)),
    ];
  }

  function item(entry) {
    const link = make("a", { href: entry.address }, entry.title);
    const from = entry.title === entry.page
      ? []
      : [make("span", { className: "search-page" }, entry.page)];
    return make(
      "li",
      {},
      link,
      ...from,
      make("p", {}, ...excerpt(entry.text, bookSearch.fits(entry))),
    );
  }

  function messageFor(number) {
    const { none, one, many, most } = summary.dataset;
    if (number > SHOWN) return most;
    if (number > 1) return many;
    return number ? one : none;
  }

  async function show() {
    await bookSearch.ready;
    const question = field.value.trim();
    const results = bookSearch.search(question);
    const number = results.length;
    const message = messageFor(number);
    summary.textContent = question && message.replace("{number}", number).replace("{shown}", SHOWN);
    list.replaceChildren(...results.slice(0, SHOWN).map(item));
  }

  // The address says what is asked, so that Back from a page leads to the list that it was chosen from.
  function keep() {
    const address = new URL(location.href);
    address.searchParams.set("q", field.value);
    history.replaceState(null, "", address);
  }
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", show);
  field.addEventListener("change", keep);
  show();
})();
