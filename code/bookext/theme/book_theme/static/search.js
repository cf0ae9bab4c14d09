// The search: it finds the sections that fit a question best, and lists them while the reader
// types.
const bookSearch = ((index) => {
  // Titles count more than words of the text, and what few readers look for comes last.
  const WEIGHTS = { page: 3, title: 8, boxes: 4, text: 1 };
  const KINDS = { page: 1.1, section: 1, term: 1, exercise: 0.6, name: 0.5, solution: 0.25 };
  // Words that say nothing, which are not indexed, and words that say little. Whoever asks why
  // looks for a reason.
  const COMMON =
    "a an and are as at be between by can could did do does for from has have how i if in is it its many me much " +
    "my not of on or should so than that the their there this to vs was we what when which why will with would you your " +
    "的 了 吗 呢 么 是 和 与 或 在 有 把 被 对 也 要 能 会 我 什么 为什么 为何 怎么 怎样 如何 哪些 哪个 多少";
  const FAINT =
    "actually array code difference exactly happens help just know make meaning need numpy purpose pytorch " +
    "python really torch used use using whether works 区别 作用";
  const FAINTLY = 0.25;
  const REASON = 1.4;
  const WHY = /\bwhy\b|为什么|为何/i;
  const WORD = /\p{sc=Han}+|(?:(?!\p{sc=Han})[\p{L}\p{N}])+/gu;
  // Chinese has no blanks between its words
  const chinese = new Intl.Segmenter("zh", { granularity: "word" });
  const cut = (run) =>
    /\p{sc=Han}/u.test(run) ? [...chinese.segment(run)].map(({ segment }) => segment) : [run];

  // d_k, W_Q and QK^T are one word each; key_padding_mask and MultiheadAttention are as many as a
  // reader sees in them.
  const LETTER = /(?<!\p{L})(\p{L})_(?=[\p{L}\p{N}]{1,2}(?![\p{L}\p{N}]))/gu;
  const CAMEL = /(\p{Ll}{3})(?=\p{Lu}\p{Ll})/gu;
  const spelled = (text) =>
    text
      .normalize("NFKD")
      .replace(/\p{M}|[’'^]/gu, "")
      .replace(/√/g, " sqrt ")
      .replace(LETTER, "$1")
      .replace(CAMEL, "$1 ")
      .toLowerCase();
  const allWords = (text) => (spelled(text).replaceAll("_", " ").match(WORD) ?? []).flatMap(cut);
  const words = (text) =>
    allWords(text)
      .filter((word) => !common.has(word))
      .map(stem);

  // The part of a word that its forms share: mask, masks, masked and masking are one word, and so
  // are its spellings.
  const stems = new Map();
  function stem(word) {
    if (!stems.has(word)) stems.set(word, shortened(word));
    return stems.get(word);
  }
  function shortened(word) {
    if (word.length < 4) return word;
    const one = word
      .replace(/ices$/, "ix")
      .replace(/ies$/, "y")
      .replace(/([^suia])s$/, "$1")
      .replace(/iz(?=e|ing|ation|able)/, "is")
      .replace(/our$/, "or");
    if (one.length < 5) return one;
    return one.replace(/(?:ing|ed|e)$/, (end) => (one.length - end.length < 3 ? end : ""));
  }
  const common = new Set(COMMON.split(" "));
  const faint = new Set(FAINT.split(" ").map(stem));

  // The index: which fields of an entry hold a word, how often.
  const entries = [];
  const places = new Map();
  function add({ address, title, rank, entries: list }) {
    for (const [anchor, kind, name, boxes, text] of list) {
      const entry = {
        address: address + (anchor && `#${anchor}`),
        page: title,
        title: name,
        kind,
        text,
      };
      entry.fields = {
        page: words(title),
        title: words(name),
        boxes: words(boxes),
        text: words(text),
      };
      entry.rank = KINDS[kind] * rank;
      entry.reason = WHY.test(name);
      for (const [field, found] of Object.entries(entry.fields)) {
        const weight = WEIGHTS[field] / (field === "text" ? 1 + found.length / 200 : 1);
        for (const word of field === "text" ? found : new Set(found)) {
          if (!places.has(word)) places.set(word, new Map());
          places.get(word).set(entry, (places.get(word).get(entry) ?? 0) + weight);
        }
      }
      entries.push(entry);
    }
  }
  const groups = [];
  const ready = index.then(async ({ pages, synonyms }) => {
    groups.push(...synonyms.map((names) => names.map(words).filter((name) => name.length)));
    let began = performance.now();
    for (const page of pages) {
      add(page);
      if (performance.now() - began > 8) {
        // a pause in which the reader can type
        await new Promise((next) => setTimeout(next));
        began = performance.now();
      }
    }
  });

  const startsAt = (list, part, i) => part.every((word, k) => list[i + k] === word);
  const holds = (list, part) => list.some((_, i) => startsAt(list, part, i));

  // What a question asks for: a list of ideas, each a list of names, each a list of words. Words
  // that have a name together are one idea, and so are the words of an identifier, where they stand
  // together somewhere.
  function ideas(question) {
    const list = words(question);
    const joined = identifiers(question);
    const found = [];
    for (let i = 0; i < list.length;) {
      const here = (name) => startsAt(list, name, i);
      const named = groups.flatMap((names) => names.filter(here).map((name) => [name, names]));
      const one = joined.find(here) ?? [];
      const length = Math.max(1, one.length, ...named.map(([name]) => name.length));
      const own = list.slice(i, i + length);
      const others = named.filter(([name]) => name.length === length).flatMap(([, names]) => names);
      const weight = own.every((word) => faint.has(word)) ? FAINTLY : 1;
      found.push({
        weight,
        names: [{ name: own, weight: 1 }, ...others.map((name) => ({ name, weight: 0.7 }))],
      });
      i += length;
    }
    return { list, found };
  }
  function identifiers(question) {
    const several = question
      .split(/[^\p{L}\p{N}_]+/u)
      .filter((part) => /\p{L}{2}_\p{L}{2}/u.test(part))
      .map(words);
    const stands = (name) =>
      [...fits({ name, weight: 1 }).keys()].some(({ fields }) => holds(fields.text, name));
    return several.filter((name) => name.length > 1 && stands(name));
  }

  const rare = (counts) => Math.log(1 + entries.length / counts.size);

  // How well each entry fits one name: all its words are there, better side by side, best as the
  // whole title.
  function fits({ name, weight }) {
    const counts = name.map((word) => places.get(word) ?? begins(word));
    const scores = new Map();
    if (counts.some((count) => !count)) return scores;
    for (const entry of counts[0].keys()) {
      if (counts.every((count) => count.has(entry))) {
        const sum = counts.reduce(
          (all, count) => all + (rare(count) * count.get(entry)) / (count.get(entry) + 6),
          0,
        );
        scores.set(entry, weight * sum * side(entry.fields, name));
      }
    }
    return scores;
  }
  function side({ title, boxes, text }, name) {
    const whole = title.length === name.length && startsAt(title, name, 0) ? 1.3 : 1;
    if (name.length === 1) return whole;
    if (holds(title, name)) return 1.6 * whole;
    const all = name.every((word) => title.includes(word));
    if (all || holds(boxes, name)) return 1.4 * whole;
    return (holds(text, name) ? 1.2 : 0.6) * whole;
  }
  // A word that is nowhere may be the beginning of one that is still being typed.
  function begins(part) {
    if (part.length < 3) return undefined;
    const all = new Map();
    for (const [word, counts] of places) {
      if (!word.startsWith(part)) continue;
      counts.forEach((count, entry) => all.set(entry, Math.max(count, all.get(entry) ?? 0)));
    }
    return all.size ? all : undefined;
  }

  // The entries that fit a question, best first: each idea counts by its best name, and what lacks
  // one falls behind.
  function search(question) {
    const { list, found } = ideas(question);
    const total = new Map();
    const why = WHY.test(question);
    let all = 0;
    for (const { names, weight } of found) {
      const best = new Map();
      for (const name of names) {
        fits(name).forEach((score, entry) =>
          best.set(entry, Math.max(score, best.get(entry) ?? 0))
        );
      }
      // of the question: a rare idea is more of it than a frequent one
      const share = best.size ? weight * rare(best) : 0;
      all += share;
      best.forEach((score, entry) => {
        const [sum, held] = total.get(entry) ?? [0, 0];
        total.set(entry, [sum + weight * score, held + share]);
      });
    }
    const together = (entry) => (list.length > 1 ? side(entry.fields, list) : 1);
    const fit = (entry) => entry.rank * together(entry) * (why && entry.reason ? REASON : 1);
    const ranked = [...total].map(([entry, [sum, held]]) => ({
      entry,
      score: sum * (held / all) ** 2.5 * fit(entry),
    }));
    return ranked.sort((a, b) => b.score - a.score).map(({ entry }) => entry);
  }

  // Whether a word of a text is one of those that a question asks for, under any name.
  function asksFor(question) {
    const wanted = new Set(
      ideas(question)
        .found.flatMap(({ names }) => names)
        .flatMap(({ name }) => name),
    );
    return (text) => words(text).some((word) => wanted.has(word));
  }
  return { search, asksFor, cut, ready };
})(
  new Promise((resolve) => {
    // the index is larger than all else: it is asked for when the page is there
    const { index: src } = document.currentScript.dataset;
    const onload = () => resolve(searchIndex);
    addEventListener(
      "load",
      () => document.head.append(Object.assign(document.createElement("script"), { src, onload })),
    );
  }),
);

(() => {
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

  function item(entry, asked) {
    const link = make("a", { href: entry.address }, entry.title);
    const from = entry.title === entry.page
      ? []
      : [make("span", { className: "search-page" }, entry.page)];
    return make("li", {}, link, ...from, make("p", {}, ...excerpt(entry.text, asked)));
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
    const asked = bookSearch.asksFor(question);
    const results = bookSearch.search(question);
    const number = results.length;
    const message = messageFor(number);
    summary.textContent = question && message.replace("{number}", number).replace("{shown}", SHOWN);
    list.replaceChildren(...results.slice(0, SHOWN).map((entry) => item(entry, asked)));
  }

  // The address says what is asked, so that Back from a page leads to the list that it was chosen
  // from.
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
