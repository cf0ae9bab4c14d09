// What the reader has answered, kept in this browser and sent nowhere: for each question a step and
// the day on which it is due again. A right answer leads to the next step, a wrong one to the first,
// today. Where storage is denied, all is forgotten with the page.
const answers = (() => {
  const KEY = "attention-and-order answers";
  const DAYS = [1, 3, 7, 21, 60]; // from one right answer to the next
  let kept = {};
  let denied = false;

  // Days since 1970, as the reader's clock counts them.
  function today() {
    const now = new Date();
    return Math.floor((now.getTime() / 60_000 - now.getTimezoneOffset()) / 1440);
  }

  function parsed(text) {
    try {
      return { ...JSON.parse(text) };
    } catch {
      return {}; // something else wrote there
    }
  }

  // It is read each time: another tab may have written.
  function read() {
    if (denied) return kept;
    try {
      kept = parsed(localStorage.getItem(KEY));
    } catch {
      denied = true;
    }
    return kept;
  }

  function write(changed) {
    kept = { ...read(), ...changed };
    if (denied) return;
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      denied = true;
    }
  }

  // The step of a question and the day on which it is due; nothing for one that is new.
  function find(name) {
    const record = read().answers?.[name];
    const isRecord = Array.isArray(record) && record.length === 2 && record.every(Number.isInteger);
    return isRecord && record[0] >= 0 ? { step: record[0], due: record[1] } : null;
  }

  // A right answer counts on the day on which it is due, or later.
  function mark(name, isRight) {
    const { step, due } = find(name) ?? { step: 0, due: today() };
    if (!isRight) keep(name, 0, today());
    else if (due <= today()) {
      keep(name, step + 1, today() + DAYS[Math.min(step, DAYS.length - 1)]);
    }
    dispatchEvent(new CustomEvent("answered"));
  }

  function keep(name, step, due) {
    write({ answers: { ...read().answers, [name]: [step, due] } });
  }

  function forget() {
    kept = {};
    try {
      localStorage.removeItem(KEY);
    } catch {
      denied = true;
    }
  }

  // The chapters that the reader left out, by the names of their sections.
  function without() {
    const names = read().without;
    return Array.isArray(names) ? names : [];
  }

  function isDenied() {
    write({});
    return denied;
  }

  return {
    today,
    find,
    mark,
    forget,
    without,
    leaveOut: (names) => write({ without: names }),
    isDenied,
  };
})();

// A self-check counts once on each visit, by the first option that is chosen; the reader may look at
// the reasons of the others. An arrow key would choose the option that it leads to: while none is
// chosen, it only moves there.
(() => {
  const counted = new WeakSet();
  const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

  addEventListener("change", ({ target }) => {
    const quiz = target.closest("fieldset.quiz");
    if (!quiz || counted.has(quiz)) return;
    counted.add(quiz);
    const isRight = target.closest(".quiz-option").querySelector(".quiz-sign.is-right");
    answers.mark(quiz.id.replace(/^(recall|practice)-/, ""), Boolean(isRight));
  });

  addEventListener("keydown", (event) => {
    const { target, key, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey) return; // a key of the browser
    const quiz = target.closest?.("fieldset.quiz");
    if (!quiz || !(key in STEPS) || quiz.querySelector("input:checked")) return;
    const options = [...quiz.querySelectorAll("input")];
    const next = options.indexOf(target) + STEPS[key] + options.length;
    options[next % options.length].focus();
    event.preventDefault();
  });
})();
