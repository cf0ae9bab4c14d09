// Looks at the page it runs in and returns what the tests assert: lists of errors, empty where all
// is well.
(async () => {
  // A reader who has been everywhere: nothing is folded, every answer has been tried, every
  // section of the contents and every part of the page has been laid out.
  document.querySelectorAll("details").forEach((details) => {
    details.open = true;
  });
  document.querySelectorAll(".quiz-reason").forEach((reason) => {
    reason.style.display = "block";
  });
  document.querySelectorAll(".page-toc ul").forEach((sections) => {
    sections.style.display = "block";
  });
  document.head.append(
    Object.assign(document.createElement("style"), {
      textContent: "* { content-visibility: visible !important; }",
    }),
  );
  for (let frame = 0; frame < 4; frame++) await new Promise((done) => requestAnimationFrame(done));
  await document.fonts.ready; // formulas that were not drawn before ask for it only now
  const main = document.querySelector("main") || document.body;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const short = (text, length = 80) => text.replace(/\s+/g, " ").trim().slice(0, length);
  const box = (element) => element.getBoundingClientRect();
  const empty = ({ width, height }) => !(width > 0 && height > 0);
  const name = (element) =>
    element.localName +
    (element.id ? `#${element.id}` : "") +
    [...element.classList]
      .slice(0, 3)
      .map((word) => `.${word}`)
      .join("");

  // Formulas: each takes room, and so does each letter and sign in it; a root has its radical sign.
  const tex = (math) => short(math.querySelector("annotation")?.textContent ?? math.textContent);
  const formulas = all("math", main).filter((math) => !math.closest("[hidden]"));
  const math = [];
  all(".math", main)
    .filter((shell) => !shell.querySelector("math"))
    .forEach((shell) => math.push(`this formula was not translated: ${short(shell.textContent)}`));
  all("merror, .temml-error, .math > code").forEach((error) =>
    math.push(`error in a formula: ${short(error.textContent)}`)
  );
  const invisible = /^[\s\u00ad\u200b-\u200f\u2060-\u2064]*$/;
  for (const formula of formulas) {
    if (empty(box(formula))) {
      math.push(`this formula takes no room: ${tex(formula)}`);
      continue;
    }
    for (const letter of all("mi, mo, mn, mtext", formula)) {
      if (!invisible.test(letter.textContent) && empty(box(letter))) {
        math.push(`${letter.textContent} is not drawn in: ${tex(formula)}`);
      }
    }
    for (const root of all("msqrt, mroot", formula)) {
      const inside = root.localName === "mroot" ? [root.firstElementChild] : [...root.children];
      const content = Math.max(...inside.map((e) => box(e).right)) -
        Math.min(...inside.map((e) => box(e).left));
      const em = parseFloat(getComputedStyle(root).fontSize);
      if (box(root).width < content + em / 4) {
        math.push(`the root sign is not drawn in: ${tex(formula)}`);
      }
    }
  }

  for (const number of all("div.math .eqno", main)) {
    const formula = number.parentElement.querySelector("math");
    const [a, b] = [box(number), formula && box(formula)];
    if (b && a.left < b.right - 1 && a.top < b.bottom - 1) {
      math.push(`${short(number.textContent)} stands on its formula: ${tex(formula)}`);
    }
  }

  // Text as a reader sees it, or hears it: no TeX and no MyST left over.
  const leftover = /\$|\\[a-zA-Z]{2,}|\\[()[\]{}]|[_^]\{|\{[a-z][a-z:-]*\}`/;
  const code = "code, pre, kbd, samp, script, style, noscript, annotation, textarea, .check-law";
  const raw = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (leftover.test(text.data) && !text.parentElement.closest(code)) {
      raw.push(`in the text: ${short(text.data)}`);
    }
  }
  if (leftover.test(document.title)) raw.push(`in the title: ${document.title}`);
  for (const attribute of ["alt", "aria-label", "title", "aria-valuetext"]) {
    all(`[${attribute}]`)
      .filter((e) => leftover.test(e.getAttribute(attribute)))
      .forEach((e) =>
        raw.push(`in ${attribute} of ${name(e)}: ${short(e.getAttribute(attribute))}`)
      );
  }

  // Pictures say in words what they show; drawings that only decorate are silent.
  const pictures = [];
  const isFile = /^\S+\.(png|svg|jpe?g|gif|webp|avif)$/i;
  const requireText = (element, text) => {
    if (!text?.trim()) pictures.push(`${name(element)} has no alternative text`);
    else if (isFile.test(text.trim())) {
      pictures.push(`${name(element)} is described by a file name: ${text}`);
    }
  };
  all("img").forEach((img) => requireText(img, img.getAttribute("alt")));
  // A drawing of a live figure is a group with a name, whose parts say what they are; its still
  // describes the whole.
  all("svg[role=img], svg[role=group]")
    .filter((svg) => !svg.closest(".live-figure"))
    .forEach((svg) => requireText(svg, svg.getAttribute("aria-label")));
  all("svg:not([role=img], [role=group])").forEach((svg) => {
    if (
      !svg.closest("[aria-hidden=true]") &&
      !(svg.closest("button") && svg.querySelector("title"))
    ) {
      pictures.push(
        `${name(svg)} in ${
          name(svg.parentElement)
        } neither describes a picture nor is hidden from those who listen`,
      );
    }
  });

  // The words of a drawing lie inside it, and none upon another.
  all("figure svg[role=img]")
    .filter((svg) => !empty(box(svg)))
    .forEach((svg) => {
      const frame = box(svg);
      const words = all("text", svg)
        .filter((text) => text.textContent.trim())
        .map((text) => [text.textContent, box(text)])
        .filter(([_word, area]) => !empty(area)); // what is not shown lies nowhere
      words.forEach(([word, a], i) => {
        const out = Math.max(
          frame.left - a.left,
          a.right - frame.right,
          frame.top - a.top,
          a.bottom - frame.bottom,
        );
        if (out > a.height / 4) {
          pictures.push(`${short(word)} is cut off in ${name(svg.closest("figure"))}`);
        }
        for (const [other, b] of words.slice(i + 1)) {
          const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          if (wide > 2 && high > Math.min(a.height, b.height) / 2) {
            pictures.push(
              `${short(word)} is upon ${short(other)} in ${name(svg.closest("figure"))}`,
            );
          }
        }
      });
    });

  // What sticks out to the right of the screen, the widest first; what lies in a box that scrolls
  // does not.
  const wide = [];
  const scrolls = (element) => {
    for (let e = element.parentElement; e && e !== document.body; e = e.parentElement) {
      if (getComputedStyle(e).overflowX !== "visible") return true;
    }
    return false;
  };
  const skip = (e) => e.hidden || e.parentElement?.closest("svg, math");
  const elements = document.createTreeWalker(
    document.body,
    NodeFilter.SHOW_ELEMENT,
    (e) => skip(e) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  while (elements.nextNode()) {
    const element = elements.currentNode;
    const { right, width } = box(element);
    if (
      width > 0 &&
      right > innerWidth + 1 &&
      element.checkVisibility({ visibilityProperty: true }) &&
      !scrolls(element)
    ) {
      wide.push({ element, right, width });
    }
  }
  wide.reverse().sort((a, b) => b.right - a.right); // of several that end alike, the innermost

  // The letters and signs of all formulas, once each, for the question which font drew them.
  window.bookLetters = () => {
    const seen = new Map();
    for (const letter of all("mi, mo, mn, mtext", main)) {
      const key = letter.localName + letter.getAttribute("mathvariant") + letter.textContent;
      if (!invisible.test(letter.textContent) && !seen.has(key)) seen.set(key, letter);
    }
    return [...seen].map(([key, letter], mark) => {
      letter.dataset.letter = mark;
      return { mark, key, text: letter.textContent };
    });
  };

  return {
    math,
    raw,
    pictures,
    formulas: formulas.length,
    mathFont: [...document.fonts].some(
      (font) => /Book Math/.test(font.family) && font.status === "loaded",
    ),
    scrollWidth: document.documentElement.scrollWidth,
    innerWidth,
    wide: wide.map(
      ({ element, right, width }) =>
        `${name(element)}, ${Math.round(width)} px wide, ends at ${Math.round(right)} px: ${
          short(element.textContent, 60)
        }`,
    ),
  };
});
