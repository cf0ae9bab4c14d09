// The controls of every page: light or dark, the search, the sidebars. It takes the place of the
// parent theme's scripts.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const find = (selector) => document.querySelector(selector);
  const findAll = (selector) => [...document.querySelectorAll(selector)];

  function remember(storage, key, value) {
    // where storage is denied, even asking for it fails
    try {
      return value === undefined
        ? window[storage].getItem(key)
        : window[storage].setItem(key, value);
    } catch {
      return null;
    }
  }

  // Light or dark: the head of the page has chosen already. The button leads to the other one
  // first.
  function paint(mode) {
    root.dataset.mode = mode;
    const ofSystem = system.matches ? "dark" : "light";
    root.dataset.theme = mode === "auto" ? ofSystem : mode;
  }
  system.addEventListener("change", () => paint(root.dataset.mode));
  findAll(".theme-switch-button").forEach((button) =>
    button.addEventListener("click", () => {
      const modes = system.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
      const mode = modes[(modes.indexOf(root.dataset.mode) + 1) % 3];
      remember("localStorage", "mode", mode);
      paint(mode);
    })
  );

  // A dialog closes on Escape, and by a click beside it.
  function closable(dialog) {
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        dialog.close();
      }
    });
    dialog.addEventListener("click", ({ target, clientX: x, clientY: y }) => {
      const box = dialog.getBoundingClientRect();
      if (target === dialog && (x < box.left || x > box.right || y < box.top || y > box.bottom)) {
        dialog.close();
      }
    });
  }

  // The search: a dialog, and on its own page the field there.
  const dialog = find("#pst-search-dialog");
  const field = find("main form.bd-search input");
  const mac = /^(Mac|iPhone)/.test(navigator.platform);
  function search() {
    if (field) {
      field.focus();
      field.select();
    } else if (dialog.open) dialog.close();
    else dialog.showModal();
  }
  closable(dialog);
  findAll(".search-button__button").forEach((button) => button.addEventListener("click", search));
  addEventListener(
    "keydown",
    (event) => {
      const held = mac ? event.metaKey : event.ctrlKey;
      if (!held || event.shiftKey || event.altKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      search();
    },
    true,
  );
  if (mac) {
    findAll(".kbd-shortcut__modifier").forEach((key) => {
      key.textContent = "⌘";
    });
  }
  if (field) {
    search();
  }

  // Contents scroll no further than they must to show the page itself and what lies below it: they
  // open with their head in sight.
  function showPage(list) {
    const here = [...list.querySelectorAll("li.active")].pop();
    if (!here) {
      return;
    }
    const box = here.getBoundingClientRect();
    const { y } = list.getBoundingClientRect();
    const below = Math.max(0, box.bottom - y - list.clientHeight);
    list.scrollTop += Math.min(below, box.y - y);
  }

  // The sidebars: where there is no room beside the text, what they hold moves into a dialog, and
  // back.
  function move(from, to) {
    to.append(...from.childNodes);
    to.classList.add(...from.classList);
    from.className = "";
  }
  for (const side of ["primary", "secondary"]) {
    const button = find(`.${side}-toggle`);
    const bar = find(`#pst-${side}-sidebar`);
    const box = find(`#pst-${side}-sidebar-modal`);
    if (!button || !bar || !box) {
      continue;
    }
    button.addEventListener("click", () => {
      if (side === "primary" && matchMedia("(min-width: 992px)").matches) {
        bar.classList.toggle("pst-sidebar-hidden");
      } else {
        move(bar, box);
        box.showModal();
        showPage(box);
      }
    });
    box.addEventListener("close", () => move(box, bar));
    closable(box);
  }

  // The contents beside the text keep their place from page to page. To ask where the page itself
  // stands in them lays out the page, so the question waits until this is done anyway.
  const contents = find("#pst-primary-sidebar");
  if (matchMedia("(min-width: 960px)").matches) {
    requestAnimationFrame(() => {
      contents.scrollTop = Number(remember("sessionStorage", "contents"));
      showPage(contents);
    });
    addEventListener("pagehide", () => remember("sessionStorage", "contents", contents.scrollTop));
  }

  // The list of sections marks the one that is read.
  const links = new Map(
    findAll("#pst-page-toc-nav a").map((a) => [document.getElementById(a.hash.slice(1)), a]),
  );
  function mark(link) {
    for (const other of links.values()) {
      other.classList.toggle("active", other === link);
      other.toggleAttribute("aria-current", false);
    }
    link?.setAttribute("aria-current", "true");
    findAll("#pst-page-toc-nav .toc-entry").forEach((entry) =>
      entry.classList.toggle("active", entry.contains(link))
    );
  }
  // What is read stands at a line below the top of the screen, which comes down to its foot at the
  // end of the page. Parts of a section are asked for only once it is reached: asking lays out what
  // is still to come.
  function follow() {
    const left = root.scrollHeight - innerHeight - scrollY;
    const line = Math.max(0.3 * innerHeight, innerHeight - left);
    const reached = (section) => links.has(section) && section.getBoundingClientRect().top <= line;
    let section = find("article > section");
    for (let next = section; next; next = [...next.children].filter(reached).pop()) {
      section = next;
    }
    if (section !== read) {
      mark(links.get(section));
    }
    read = section;
    waiting = false;
  }
  let read = null;
  let waiting = false;
  function soon() {
    if (!waiting) {
      requestAnimationFrame(follow);
    }
    waiting = true;
  }
  if (links.size) {
    ["scroll", "resize"].forEach((name) => addEventListener(name, soon, { passive: true }));
    soon();
  }

  // The line above the text has a shadow as soon as something lies under it.
  new IntersectionObserver(([{ boundingClientRect: box }]) =>
    document.body.classList.toggle("scrolled", box.y < 0)
  ).observe(find("#pst-scroll-pixel-helper"));
})();
