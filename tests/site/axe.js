// Runs axe-core on a page and returns its violations and the looks of text that were judged. A
// chapter has thousands of elements, most of them alike, so what is hidden is emptied first, and
// drawings and formulas, of which axe reads the name or the text alone. The rules about colours, by
// far the slowest, are asked once for each look (colour, ground, opacity, size and weight of text;
// for a link its underline and the text around it) that is not among `judged`, while every element
// that holds none of the looks is away. If `rules` is true, all other rules are asked too, after
// spans without meaning have left their text in their place, which no later call can undo.
// `preload` would ask for style sheets again, which a folder refuses.
(async ([rules, judged]) => {
  for (let frame = 0; frame < 3; frame++) await new Promise((done) => requestAnimationFrame(done)); // by then it is known what scrolls
  document
    .querySelectorAll(".frame[hidden], svg[role=img]")
    .forEach((element) => element.replaceChildren());
  document.querySelectorAll("math").forEach((math) => {
    math.querySelectorAll("annotation").forEach((tex) => tex.remove());
    math.replaceChildren(math.textContent);
  });

  const COLOURS = ["color-contrast", "link-in-text-block"];
  document
    .querySelectorAll("[data-look]")
    .forEach((element) => element.removeAttribute("data-look"));
  const grounds = new Map([[null, ""]]);
  const ground = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const clear = /, 0\)$|transparent/.test(backgroundColor) && backgroundImage === "none" &&
        opacity === "1";
      const below = ground(element.parentElement);
      grounds.set(
        element,
        clear ? below : `${backgroundColor} ${backgroundImage} ${opacity} over ${below}`,
      );
    }
    return grounds.get(element);
  };
  const looks = new Map();
  const old = new Set(judged);
  for (const element of document.body.querySelectorAll("*")) {
    const text = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.data.trim(),
    );
    if (!text || !element.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight, textDecorationLine } = getComputedStyle(element);
    const link = element.localName === "a" && [
      textDecorationLine,
      getComputedStyle(element.parentElement).color,
    ];
    const look = [color, fontSize, fontWeight, ground(element), link].join();
    if (!old.has(look) && !looks.has(look)) looks.set(look, element);
  }
  looks.forEach((element) => {
    element.dataset.look = "";
  });
  document.querySelectorAll("pre span:not([data-look], :has([data-look]))").forEach((token) => {
    token.replaceWith(...token.childNodes);
  });

  const options = { resultTypes: ["violations"], preload: false };
  const violations = [];
  if (looks.size) {
    const kept = new Set();
    for (let element of looks.values()) {
      for (; element && !kept.has(element); element = element.parentElement) kept.add(element);
    }
    const away = [...kept]
      .flatMap((element) => [...element.children])
      .filter((child) => !kept.has(child) && document.body.contains(child));
    const marks = away.map((element) => {
      const mark = new Comment();
      element.replaceWith(mark);
      return mark;
    });
    violations.push(
      ...(await axe.run({ include: [["[data-look]"]] }, { ...options, runOnly: COLOURS }))
        .violations,
    );
    marks.forEach((mark, index) => mark.replaceWith(away[index]));
  }
  if (rules) {
    const on = { enabled: true };
    const off = Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }]));
    document.querySelectorAll("main span[class]").forEach((span) => {
      if (span.attributes.length === 1 && !span.closest(".live")) {
        span.replaceWith(...span.childNodes);
      }
    });
    document.body.normalize();
    const asked = { ...off, "label-content-name-mismatch": on, "td-has-header": on }; // axe calls these experimental
    violations.push(...(await axe.run(document, { ...options, rules: asked })).violations);
  }
  return [violations, [...looks.keys()]];
});
