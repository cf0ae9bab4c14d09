"""Run the experiments whose numbers the chapters quote: every member that is not stored yet.

python tools/experiments.py [--only NAME] [--jobs N]    with .venv's Python

experiments/<name>.py says in its docstring what it measures, and has three names: `member(seed)`, one repetition, in
seconds at most; `MEMBERS`, the seeds; and `summary(results)`, the few numbers that the prose quotes. Answers are kept
in _build/experiments, so a run that was stopped goes on where it was, and code/attnbook/results/<name>.json holds what
the chapter reads. An experiment runs again when its file or a training that it imports from attnbook.tasks changes;
whether the package still gives its numbers is for the chapter to say, by a check that computes one member afresh.

--cluster tcp://host:8786 gives the members to dask. Start `dask scheduler` there and, in this folder on each machine,
PYTHONPATH=code:tools .venv/bin/dask worker tcp://host:8786 --nthreads 1 --nworkers 8: all must see the folder under one
path. Whoever reaches the scheduler can run programs on the workers, so keep it in a private network.
"""

import argparse
import ast
import functools
import importlib.util
import json
import multiprocessing
import os
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path

from bookext.run import dependencies, jobs
from bookext.run.chapters import digest

ROOT = Path(__file__).resolve().parent.parent
DIGITS = 4  # of every stored number


def named(tree=ROOT, only=""):
    """List the experiments that have ``only`` in them; one sentence ends the run if there is none."""
    names = sorted(path.stem for path in (tree / "experiments").glob("*.py"))
    chosen = [name for name in names if only in name]
    if not chosen:
        sys.exit(f"There is no experiment {only!r}; there are {', '.join(names) or 'none at all'}.")
    return chosen


@functools.cache
def load(tree, name):
    """Import an experiment."""
    path = tree / "experiments" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"experiment_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    missing = [n for n in ("__doc__", "member", "MEMBERS", "summary") if not getattr(module, n, None)]
    if missing:
        sys.exit(f"experiments/{name}.py has no {' and no '.join(missing)}.")
    return module


def source(tree, name):
    """Hash the code of an experiment and of the trainings that it imports."""
    text = (tree / "experiments" / f"{name}.py").read_text("utf-8")
    homes = {getattr(value, "__module__", None) or "" for value in vars(load(tree, name)).values()}
    modules = dependencies.modules(tree / "code")
    seen = dependencies.closure(homes & set(modules), dependencies.imports(modules))
    tasks = [modules[module] for module in sorted(seen) if module.startswith("attnbook.tasks.")]
    return digest(ast.unparse(ast.parse(text)), *map(dependencies.statements, tasks))


def rounded(value):
    """Round numbers to DIGITS digits, in lists and dicts of any depth."""
    if isinstance(value, dict):
        return {str(key): rounded(entry) for key, entry in value.items()}
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return [rounded(entry) for entry in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def measure(tree, name, seed):
    """Compute one member: its result, and the seconds of processor time it took."""
    import torch

    torch.set_num_threads(1)  # so that sums keep their order
    start = time.thread_time()
    result = rounded(load(tree, name).member(seed))
    return {"result": result, "seconds": round(time.thread_time() - start, 3)}


def executor(jobs, cluster):
    """Run members in processes of this machine, or on the workers of a dask cluster."""
    if not cluster:
        return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    from distributed import Client
    from distributed.cfexecutor import ClientExecutor

    class Workers(ClientExecutor):
        def shutdown(self, wait=True, *, cancel_futures=False):
            super().shutdown(wait)
            client.close()

    try:
        client = Client(cluster, timeout=10)
    except (OSError, ValueError) as error:
        sys.exit(f"No dask scheduler answers at {cluster}: {error}.")
    client.restart()  # a worker that has run an experiment would keep its old code
    return Workers(client, pure=False)


def text(record):
    """Write a record as JSON: the same for the same results, with a line for each member."""
    members = ",\n  ".join(json.dumps(member, sort_keys=True) for member in record["members"])
    values = {key: json.dumps(value, sort_keys=True) for key, value in record.items()} | {"members": f"[\n  {members}]"}
    return "{\n" + ",\n".join(f' "{key}": {values[key]}' for key in sorted(values)) + "\n}\n"


def results(tree, name):
    """Name the file that a chapter reads."""
    return tree / "code" / "attnbook" / "results" / f"{name}.json"


def is_stored(tree, name):
    """Return whether the stored results are those of the experiment as it is now."""
    path = results(tree, name)
    return path.exists() and json.loads(path.read_text("utf-8"))["source"] == source(tree, name)


def write(tree, name, answers):
    """Store the results of all members, and what follows from them."""
    module = load(tree, name)
    members = [answer["result"] for answer in answers]
    record = {
        "members": members,
        "seconds": round(sum(answer["seconds"] for answer in answers), 1),
        "seeds": list(module.MEMBERS),
        "source": source(tree, name),
        "summary": rounded(module.summary(members)),
        "versions": {"python": platform.python_version()}
        | {library: metadata.version(library).partition("+")[0] for library in ("numpy", "torch")},
    }
    results(tree, name).parent.mkdir(parents=True, exist_ok=True)
    results(tree, name).write_text(text(record), "utf-8")
    print(f"{name}: {len(members)} members, {record['seconds']} s, {json.dumps(record['summary'])}")


def main(arguments=None, tree=ROOT):
    """Run what is not stored yet and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="NAME", help="experiments with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many members run side by side")
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a dask scheduler whose workers run them instead")
    options = parser.parse_args(arguments)
    chosen = named(tree, options.only)
    waiting = [name for name in chosen if not is_stored(tree, name)]
    print(f"{len(chosen) - len(waiting)} of {len(chosen)} experiments are stored already.")
    sources = {name: source(tree, name) for name in waiting}
    keys = {(name, seed): digest(sources[name], seed) for name in waiting for seed in load(tree, name).MEMBERS}
    work = {key: functools.partial(measure, tree, *member) for member, key in keys.items()}
    with executor(options.jobs, options.cluster if work else None) as pool:
        answers = jobs.resume(tree / "_build" / "experiments" / "results.jsonl", work, pool)
    for name in waiting:
        write(tree, name, [answers[keys[name, seed]] for seed in load(tree, name).MEMBERS])


if __name__ == "__main__":
    import experiments  # a worker knows what it is sent by this name, not as __main__

    try:
        experiments.main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; the same command goes on from here.")
