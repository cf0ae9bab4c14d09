// What a page shows to a reader who can move nothing: where no script runs, and on paper.
((unfold) => {
  const main = document.querySelector("main") || document.body;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const folded = all("details.solution").filter(
    (details) => ![...details.children].slice(1).some((e) => e.checkVisibility()),
  );
  const laws = all(".check").filter((law) => !law.checkVisibility());
  if (unfold) {
    all("details").forEach((details) => {
      details.open = true;
    });
  }
  document.head.append(
    Object.assign(document.createElement("style"), {
      textContent: "* { content-visibility: visible !important; }",
    }),
  );

  // Explorers: the frame of the start and no other, and no control, because it would move nothing.
  const explorers = [];
  for (const player of all(".explore")) {
    const frames = all(".frame", player);
    const inputs = all("input, select", player);
    const seen = frames.filter((frame) => frame.checkVisibility() && frame.offsetHeight > 0);
    const count = (input) => (input.options ? input.options.length : Number(input.max) + 1);
    const first = (input) => (input.querySelector("[selected]") ?? input).getAttribute("value");
    const start = inputs.reduce((index, input) => index * count(input) + Number(first(input)), 0);
    if (seen.length !== 1 || seen[0] !== frames[start]) {
      explorers.push(
        `${player.id}: ${seen.length} of ${frames.length} frames are visible; expected the start alone`,
      );
    }
    if (
      all("input, select, output, label", player).some((e) =>
        e.checkVisibility({ visibilityProperty: true })
      )
    ) {
      explorers.push(`${player.id}: a control is visible that moves nothing`);
    }
    if (!all(".explore-chosen", player).some((e) => e.checkVisibility())) {
      explorers.push(`${player.id}: nothing says which choice is drawn`);
    }
  }

  const works = (form) => {
    // a filter leaves none when asked for what nobody says
    const ask = (words) => {
      form.elements.words.value = words;
      form.dispatchEvent(new Event("input"));
    };
    const shown = () => all("li", main).filter((e) => e.checkVisibility()).length;
    const before = shown();
    ask("zzzz");
    const left = shown();
    ask("");
    return left < before && !matchMedia("print").matches;
  };
  if (all("form[role=search]", main).some((form) => form.checkVisibility() && !works(form))) {
    explorers.push("a filter is visible that filters nothing");
  }

  const formulas = all("math", main)
    .filter((math) => {
      const { width, height } = math.getBoundingClientRect();
      return math.checkVisibility() && !(width > 0 && height > 0);
    })
    .map((math) => (math.querySelector("annotation") ?? math).textContent.trim().slice(0, 80));

  // Contrast (WCAG 2.2) of text with white paper: browsers leave backgrounds out when they print.
  const contrast = (element) => {
    const style = getComputedStyle(element);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const [r, g, b] = colour
      .match(/[\d.]+/g)
      .slice(0, 3)
      .map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05);
  };
  const faint = [
    "main",
    "h1",
    "article p",
    "article a",
    "article math",
    "article svg text",
    ".check-law",
    "article pre span",
  ]
    .map((selector) => [selector, all(selector).find((e) => e.checkVisibility())])
    .filter(([, element]) => element && contrast(element) < 4.5)
    .map(([selector, element]) => `${selector} ${contrast(element).toFixed(1)}`);

  // The hues of drawings, which need less: 3.
  for (const figure of all(".picture").slice(0, 9)) {
    for (const hue of ["blue", "orange", "green", "purple", "yellow", "sky"]) {
      const line = figure.appendChild(document.createElement("span"));
      line.style.color = `var(--figure-${hue})`;
      if (contrast(line) < 3) faint.push(`${hue} in a figure ${contrast(line).toFixed(1)}`);
      line.remove();
    }
  }

  // What there is to read, once each word. What explorers show depends on their sliders; search,
  // filters and live figures, which stand for a drawing, need a script, and so does practice, whose
  // questions stand in a list as well.
  const moving = new Set(
    all(
      ".explore > :not(.explore-chosen), .live-figure, .bd-search-container, form[role=search], .practice, .practice-list > summary",
    ).flatMap((e) => e.innerText.split(/\s+/)),
  );
  const words = [...new Set(main.innerText.split(/\s+/))].filter(
    (word) => word && !moving.has(word),
  );

  dispatchEvent(new Event("beforeprint"));
  const kinds = "details.solution, .predict details, .live-answer, .quiz-reason";
  const answers = all(`:is(${kinds}):not(.practice *)`, main);
  const beside = answers.filter((e) => !e.closest(".answers") || !e.checkVisibility()).length;
  dispatchEvent(new Event("afterprint"));

  const titles = all("h1");
  const untitled = titles.length > 0 && !titles.some((e) => e.checkVisibility());

  return {
    beside,
    explorers,
    formulas,
    faint,
    untitled,
    words,
    folded: [...folded, ...laws].map((element) => element.id),
  };
});
