// Runs axe-core on a page and returns its violations. A chapter has ten thousand elements, most of them alike, and axe
// takes seconds for them: what is hidden is emptied first, a letter of code stays once for each colour, and a formula
// within a line stays as its text. `preload` would ask for style sheets again, which a folder refuses.
() => {
  document.querySelectorAll(".frame[hidden]").forEach((frame) => frame.replaceChildren());
  const colours = new Set();
  for (const token of document.querySelectorAll("pre span[class]")) {
    if (colours.has(token.className)) token.replaceWith(...token.childNodes);
    colours.add(token.className);
  }
  document.querySelectorAll("span.math > math").forEach((math) => {
    math.replaceChildren((math.querySelector("mrow") ?? math).textContent);
  });
  return axe.run(document, { resultTypes: ["violations"], preload: false }).then((result) => result.violations);
}
