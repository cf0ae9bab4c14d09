// Runs axe-core on a page and returns its violations. A chapter has thousands of elements, most of them alike, and axe
// takes many seconds for them. So what is hidden is emptied first, code and formulas within a line stay as their text, and
// contrast, by far the slowest rule, is measured once for each look: colour, ground, opacity, size and weight of text.
// `preload` would ask for style sheets again, which a folder refuses. `wanted` says which of both: "rules", "contrast".
async (wanted) => {
  document.querySelectorAll(".frame[hidden]").forEach((frame) => frame.replaceChildren());
  document.querySelectorAll("span.math > math").forEach((math) => {
    math.querySelectorAll("annotation").forEach((tex) => tex.remove());
    math.replaceChildren(math.textContent);
  });

  const grounds = new Map([[null, ""]]);
  const ground = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const clear = /, 0\)$|transparent/.test(backgroundColor) && backgroundImage === "none" && opacity === "1";
      const below = ground(element.parentElement);
      grounds.set(element, clear ? below : `${backgroundColor} ${backgroundImage} ${opacity} over ${below}`);
    }
    return grounds.get(element);
  };
  const looks = new Map();
  for (const element of document.body.querySelectorAll("*")) {
    const text = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!text || !element.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const look = [color, fontSize, fontWeight, ground(element)].join();
    if (!looks.has(look)) looks.set(look, element);
  }
  looks.forEach((element) => { element.dataset.look = ""; });
  document.querySelectorAll("pre span:not([data-look], :has([data-look]))").forEach((token) => {
    token.replaceWith(...token.childNodes);
  });

  const options = { resultTypes: ["violations"], preload: false };
  const found = [];
  if (wanted.includes("rules")) {
    found.push(...(await axe.run(document, { ...options, rules: { "color-contrast": { enabled: false } } })).violations);
  }
  if (wanted.includes("contrast")) {
    found.push(...(await axe.run({ include: [["[data-look]"]] }, { ...options, runOnly: ["color-contrast"] })).violations);
  }
  return found;
}
