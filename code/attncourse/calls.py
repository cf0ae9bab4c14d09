"""A filter for calls of the system, in front of everything that runs in the sandbox (seccomp, classic BPF).

Limits on a process do not count memory that belongs to none: shared segments and files in memory. Nobody's NumPy needs
these, nor keyrings, tracing, or namespaces of one's own. A denied call fails with EPERM, as it does for any program
that may not.
"""

import contextlib
import errno
import os
import platform
import struct

# Linux's number for an architecture, and of each denied call on it.
NAMES = """memfd_create memfd_secret shmget shmat semget msgget mq_open add_key request_key keyctl unshare setns mount
ptrace process_vm_readv process_vm_writev bpf perf_event_open userfaultfd io_uring_setup"""
NUMBERS = {
    "x86_64": (0xC000003E, "319 447 29 30 64 68 240 248 249 250 272 308 165 101 310 311 321 298 323 425", 56, 435),
    "aarch64": (0xC00000B7, "279 447 194 196 190 186 180 217 218 219 97 268 40 117 270 271 280 241 282 425", 220, 435),
}
NEW_USER = 0x10000000  # CLONE_NEWUSER: a user namespace of one's own, the usual way into faults of the kernel
X32 = 0x40000000  # on x86_64 a second set of numbers for the same calls
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, RETURN, EQUAL, AT_LEAST, ANY_BIT = 0x20, 0x06, 0x15, 0x35, 0x45
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # where they stand in struct seccomp_data


def program(machine=None):
    """The filter as bytes, or None where the numbers of the calls are not known."""
    machine = machine or platform.machine()
    if machine not in NUMBERS:
        return None
    architecture, denied, clone, clone3 = NUMBERS[machine]
    denied = [*map(int, denied.split())]
    assert len(denied) == len(NAMES.split())
    refuse, absent = REFUSE | errno.EPERM, REFUSE | errno.ENOSYS
    steps = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    steps += [(AT_LEAST, 0, 1, X32), (RETURN, 0, 0, refuse)]
    for number in denied:
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, refuse)]
    steps += [(EQUAL, 0, 1, clone3), (RETURN, 0, 0, absent)]  # its flags cannot be read here; libc falls back to clone
    steps += [(EQUAL, 0, 3, clone), (LOAD, 0, 0, FIRST_ARGUMENT), (ANY_BIT, 0, 1, NEW_USER), (RETURN, 0, 0, refuse)]
    steps += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


@contextlib.contextmanager
def filter_file():
    """The number of an open file from which bubblewrap reads the filter, or None."""
    code = program()
    if code is None:
        yield None
        return
    end, start = os.pipe()
    try:
        os.write(start, code)  # far less than a pipe holds
        os.close(start)
        yield end
    finally:
        os.close(end)
