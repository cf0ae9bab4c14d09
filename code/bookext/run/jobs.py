"""Run jobs side by side and store each answer at once, so that a run that was stopped goes on where it was."""

import json
import sys
from concurrent.futures import as_completed
from contextlib import suppress


def resume(store, work, pool):
    """Do what is not stored yet: ``work`` is {key: function}, each returns a dict; return {key: dict}.

    Every answer becomes a line of the file ``store`` as soon as it is there.
    """
    store.parent.mkdir(parents=True, exist_ok=True)
    done = {}
    for line in store.read_text("utf-8").splitlines() if store.exists() else ():
        with suppress(ValueError):  # a line that was cut short
            answer = json.loads(line)
            done[answer["key"]] = answer
    waiting = [key for key in work if key not in done]
    with open(store, "a", encoding="utf-8") as file:
        file.write("\n" if waiting and file.tell() else "")  # after a line that was cut short
        running = {pool.submit(work[key]): key for key in waiting}
        try:
            for count, job in enumerate(as_completed(running), len(work) - len(waiting) + 1):
                done[running[job]] = answer = {"key": running[job]} | job.result()
                file.write(json.dumps(answer, ensure_ascii=False) + "\n")
                file.flush()
                if sys.stderr.isatty():
                    print(f"\r{count} of {len(work)} ", end="", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {key: done[key] for key in work}
