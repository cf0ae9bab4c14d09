"""Runs a student's code, in a sandbox; started by ``sandbox``. Standard library and NumPy only.

It answers one message at a time: {"cell": source} runs a cell, {"call": name, "arguments": …} calls a function. The
student's code shares this process and may do to it whatever it likes: nothing here is secret, and every answer is
checked by the process that asked.
"""

import __future__

import ast
import builtins
import os
import re
import sys
import types

KEPT = 200  # characters of an error's message


def restrict(limits):
    """Give up for good what a student does not need: memory, time, processes, large files, and being root."""
    import resource

    for name, value in limits["resources"].items():
        if not hasattr(resource, name):  # Linux knows more of them than others
            continue
        most = resource.getrlimit(getattr(resource, name))[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(getattr(resource, name), (value, value))
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


def read_exactly(fd, size):
    """Return `size` bytes, or the end of this process when the other side is gone."""
    data = bytearray()
    while len(data) < size:
        piece = os.read(fd, min(size - len(data), 1 << 20))
        if not piece:
            os._exit(0)
        data += piece
    return bytes(data)


def describe(error, name):
    """Return the type, the words and the line of an error in the student's cell of this name."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == name:
        line = error.lineno
    try:
        words = str(error.msg if isinstance(error, SyntaxError) else error)[:KEPT]
    except BaseException:
        words = ""
    return {"error": [type(error).__name__[:60], words, line]}


def parse(source, name):
    """Return the syntax tree of a cell. Where it is no Python, magics become comments: there is no IPython here."""
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        return compile(source, name, "exec", flags, dont_inherit=True)
    except SyntaxError:
        plain = re.sub(r"^([ ]*)([%!])", r"\1pass  # \2", source, flags=re.M)
        if plain == source:
            raise
        return compile(plain, name, "exec", flags, dont_inherit=True)


def run_cell(source, space, name):
    """Run a cell, statement by statement: after one that fails the others still run. Reply with the first failure."""
    tree, reply = parse(source, name), {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for known in filter(None, (getattr(__future__, alias.name, None) for alias in node.names)):
                space["__flags__"] = space.get("__flags__", 0) | known.compiler_flag
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | space.get("__flags__", 0)
    codes = [compile(ast.Module([node], []), name, "exec", flags, dont_inherit=True) for node in tree.body]
    for code in codes:
        try:
            result = eval(code, space)
            if code.co_flags & 0x80:  # a coroutine: the cell awaits
                import asyncio

                asyncio.run(result)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too
            reply = reply or describe(error, name)
    return reply


def answer(message, space, values):
    """Do what one message asks for; the reply as bytes."""
    name = f"cell {message['id']}"
    try:
        if "cell" in message:
            reply = run_cell(message["cell"], space, name)
        elif message["call"] not in space:
            raise NameError(f"there is no function {message['call']}")
        else:
            reply = {"value": space[message["call"]](*message["arguments"], **message["named"])}
        return values.encode(reply | {"id": message["id"]})
    except BaseException as error:
        return values.encode(describe(error, name) | {"id": message["id"]})


def receive(fd, values):
    """Return the next message from the other side."""
    sizes = values.HEAD.unpack(read_exactly(fd, values.HEAD.size))
    return values.decode(*(read_exactly(fd, size) for size in sizes))


def main():
    """Serve until the other side closes."""
    asked, told, nowhere = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import numpy  # before the limits: it loads once
    import values

    restrict(receive(asked, values))  # the limits come first, and not on the command line, which can be read inside
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, display=print)
    sys.modules["__main__"] = module
    os.chdir("/tmp")
    sys.path.insert(0, "")
    os.write(told, values.encode({"ready": numpy.__version__}))
    while True:
        reply = memoryview(answer(receive(asked, values), module.__dict__, values))
        while reply:
            reply = reply[os.write(told, reply) :]


if __name__ == "__main__":
    main()
