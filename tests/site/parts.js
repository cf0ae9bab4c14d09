// Finds what a font can silently leave out of a formula: the parts that are drawn and are no
// letters, or that stretch. Returns the different ones of each kind with the size their ink must
// have, in px; showPart(i) hides all else.
(() => {
  const box = (element) => element.getBoundingClientRect();
  const size = (element) => parseFloat(getComputedStyle(element).fontSize);
  const tallest = (elements) => Math.max(0, ...elements.map((e) => box(e).height));
  const math = [...document.querySelectorAll("main math")].filter((m) => !m.closest("[hidden]"));
  const inside = (selector) => math.flatMap((m) => [...m.querySelectorAll(selector)]);
  const parts = [];
  const kind = (name, elements, width, height) => {
    const seen = new Set();
    for (const element of elements) {
      const text = element.outerHTML;
      if (seen.has(text)) continue;
      seen.add(text);
      parts.push({ name, element, width: width(element), height: height(element) });
    }
  };
  const some = () => 0.5; // a bar may be thinner than a pixel
  kind(
    "root",
    inside("msqrt, mroot"),
    (e) => 0.7 * box(e).width,
    (e) => 0.8 * box(e).height,
  );
  kind("fraction bar", inside("mfrac:not([linethickness='0px'])"), (e) => 0.6 * box(e).width, some);
  const fences = inside("mo").filter(
    (mo) =>
      /^[()[\]{}|‖⟨⟩⌊⌋⌈⌉]$/.test(mo.textContent.trim()) &&
      !mo.hasAttribute("maxsize") &&
      mo.getAttribute("stretchy") !== "false",
  );
  const around = (mo) =>
    tallest([...mo.parentElement.children].filter((e) => e.localName !== "mo"));
  kind(
    "bracket",
    fences.filter((mo) => around(mo) > 2 * size(mo)),
    some,
    (mo) => 0.75 * around(mo),
  );
  kind(
    "accent",
    inside("mover > mo:last-child").filter((mo) => /^[\^ˆ~˜¯‾→⃗˙.]$/.test(mo.textContent.trim())),
    some,
    some,
  );
  kind(
    "brace",
    inside("munder > mo:last-child, mover > mo:last-child").filter((mo) =>
      /[⏟⏞]/.test(mo.textContent)
    ),
    (mo) => 0.7 * box(mo.parentElement.firstElementChild).width,
    some,
  );
  kind(
    "large operator",
    inside("mo").filter(
      (mo) =>
        /^[∑∏∫⨁]$/.test(mo.textContent.trim()) && mo.closest("math[display=block], .tml-display"),
    ),
    some,
    (mo) => size(mo),
  );
  kind(
    "matrix",
    inside("mtable"),
    (e) => 0.5 * box(e).width,
    (e) => 0.5 * box(e).height,
  );
  kind(
    "Chinese",
    inside("mtext, mi").filter((e) => /[\u4e00-\u9fff]/.test(e.textContent)),
    (e) => 0.7 * box(e).width,
    (e) => 0.5 * size(e),
  );

  const sheet = document.createElement("style");
  sheet.textContent = `main * { color: transparent !important; scroll-behavior: auto !important; }
    .headerlink { display: none !important; }
    [data-part], [data-part="matrix"] * { color: black !important; }`;
  document.head.append(sheet);
  window.showPart = (i) => {
    document.querySelectorAll("[data-part]").forEach((e) => e.removeAttribute("data-part"));
    const { name, element } = parts[i];
    element.dataset.part = name;
    element.scrollIntoView({ block: "center", inline: "center" });
    const { x, y, width, height } = box(
      element.localName === "mo" ? element.parentElement : element,
    );
    return { x: x - 8, y: y - 8, width: width + 16, height: height + 16 }; // a stretched sign leaves its own box
  };
  return parts.map(({ name, width, height }) => ({ name, width, height }));
});
