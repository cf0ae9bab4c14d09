"""Reads a student's files and runs their code, in a sandbox; started by ``sandbox``. Standard library and NumPy only.

It answers one message at a time: {"read": files, "public": …} before any code of the student's runs, {"cell": number}
prepares a cell, {"statement": [cell, number]} runs one statement of it, {"keep": cell} remembers what all names mean
now, {"defined": names} says whether one of them exists, {"call": name, "arguments": …} calls a function. The student's
code shares this process and may do to it whatever it likes: nothing here is secret, and every answer is checked by the
process that asked.
"""

import __future__

import ast
import builtins
import os
import re
import signal
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)  # modules are imported from there, as `attncourse.…`: a student's may have any other name
LARGEST = 1 << 30  # bytes of a message from the grader
LONGEST = 200  # characters of an error's message
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
MAGIC = re.compile(r"^([ ]*)([%!])", re.MULTILINE)


def restrict(limits):
    """Give up irrevocably what a student does not need: memory, time, processes, large files, and being root."""
    import resource

    for name, value in limits["resources"].items():
        if not hasattr(resource, name):  # Linux knows more of them than others
            continue
        most = resource.getrlimit(getattr(resource, name))[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(getattr(resource, name), (value, value))
    if limits["user"] is None and sys.platform == "linux":  # no bubblewrap ends it with the process that started it
        import ctypes

        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
    if limits["user"] is not None and os.getuid() == 0:
        os.setgroups([])
        for user in (limits["user"], 65534):  # a container may know only the first 65536 users
            try:
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                break
            except OSError:
                continue
        if os.getuid() == 0:
            raise SystemExit("root could not be given up")


def describe(error, name):
    """Return the builtin types, the message and the line of an error in the student's cell of this name."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == name:
        line = error.lineno
    try:
        message = str(error.msg if isinstance(error, SyntaxError) else error)[:LONGEST]
    except BaseException:
        message = ""
    types = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"][:18]
    return {"error": [[type(error).__name__[:60], *types], message, line]}


def parse(source, name):
    """Return the syntax tree of a cell. Where it is no Python, magics become comments: there is no IPython here."""
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        return compile(source, name, "exec", flags, dont_inherit=True)
    except SyntaxError:
        plain = MAGIC.sub(r"\1pass  # \2", source)
        if plain == source:
            raise
        return compile(plain, name, "exec", flags, dont_inherit=True)


class Notebook:
    """The cells of one student, and the module in which they run."""

    def __init__(self, space):
        self.space = space  # what all names mean now
        self.sources = []
        self.codes = {}  # cell: its statements
        self.flags = 0  # what the student imported from __future__
        self.spaces = {}  # cell: what all names meant after it
        self.now = None  # the cell of which the names are in force, None after the last

    def read(self, files, public):
        """Read the student's files; the record goes back."""
        from attncourse import reading, spoken

        with open(os.path.join(HERE, "standins.py"), encoding="utf-8") as file:
            first = file.read() + public["given"]
        sys.path.append(os.path.join(ROOT, "ipython"))
        record, cells = reading.read(files, public)
        asked = [name for question in public["questions"] for name in question["functions"]]
        record["sources"], record["spoken"] = spoken.about(cells, asked)
        sys.path.pop()
        for name in [name for name in sys.modules if name.partition(".")[0] == "IPython"]:
            del sys.modules[name]  # two files of it are here, and the student's own import finds a stand-in
        self.sources = [first, *cells]
        return record

    def prepare(self, number):
        """Compile a cell; return the line of each of its statements."""
        name = f"cell {number}"
        body = parse(self.sources[number], name).body
        for node in body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                for known in filter(None, (getattr(__future__, alias.name, None) for alias in node.names)):
                    self.flags |= known.compiler_flag
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | self.flags
        self.codes[number] = [compile(ast.Module([node], []), name, "exec", flags, dont_inherit=True) for node in body]
        return [node.lineno for node in body]

    def run(self, cell, number):
        """Run one statement of a cell."""
        code = self.codes[cell][number]
        result = eval(code, self.space)
        if code.co_flags & 0x80:  # a coroutine: the cell awaits
            import asyncio

            asyncio.run(result)

    def call(self, name, arguments, named, after=None):
        """Call a function, with all names as they were after a cell."""
        if after != self.now:
            self.spaces[self.now] = dict(self.space)
            self.space.clear()
            self.space.update(self.spaces[after])
            self.now = after
        if name not in self.space:
            raise NameError(f"there is no function {name}")
        return self.space[name](*arguments, **named)

    def answer(self, message):
        """Do what one message asks for."""
        if "read" in message:
            return {"value": self.read(message["read"], message["public"])}
        if "cell" in message:
            return {"value": self.prepare(message["cell"])}
        if "statement" in message:
            return self.run(*message["statement"]) or {}
        if "keep" in message:
            self.spaces[message["keep"]] = dict(self.space)
            return {}
        if "defined" in message:
            return {"value": any(name in self.space for name in message["defined"])}
        return {"value": self.call(message["call"], message["arguments"], message["named"], message["after"])}


def main():
    """Serve until the other side closes."""
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sys.path.insert(0, ROOT)
    import numpy  # before the limits: it loads once

    from attncourse import protocol

    grader = protocol.Conversation(replies, requests, LARGEST)
    restrict(grader.receive())  # the limits come first, and not on the command line, which can be read inside
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, display=print)
    sys.modules["__main__"] = module
    os.chdir("/tmp")
    sys.path.insert(0, "")
    grader.send({"ready": numpy.__version__})
    notebook = Notebook(module.__dict__)
    while True:
        try:
            message = grader.receive()
        except protocol.PeerEnded:
            os._exit(0)  # and leave no thread of the student's behind
        name = f"cell {message['cell'] if 'cell' in message else (message.get('statement') or [''])[0]}"
        try:
            reply = protocol.encode(notebook.answer(message) | {"id": message["id"]})
        except BaseException as error:  # SystemExit and KeyboardInterrupt too
            reply = protocol.encode(describe(error, name) | {"id": message["id"]})
        grader.write(reply)


if __name__ == "__main__":
    main()
