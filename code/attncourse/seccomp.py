"""The seccomp filter in front of everything that runs in the sandbox: classic BPF, which bubblewrap installs.

Limits on a process do not count memory that belongs to none: shared segments, files in memory, locks, attributes.
Nobody's NumPy needs these, nor keyrings, tracing, mounts, or namespaces of one's own. A refused call fails as it does
for any program that may not make it.
"""

import contextlib
import errno
import os
import platform
import struct

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # the kernel's numbers for architectures
# The number of each refused call: on x86_64, on aarch64. From 424 on they are the same.
REFUSED = {
    # memory that no limit counts
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196),
    "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180), "io_setup": (206, 0), "io_uring_setup": (425, 425),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "inotify_init": (253, None), "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    "flock": (73, 32), "landlock_create_ruleset": (444, 444),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # larger buffers of sockets, and sockets that wait in a message when nobody has them open
    "setsockopt": (54, 208), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    # pages that a pipe keeps, and what the machine remembers of files: it outlives a sandbox
    "vmsplice": (278, 75), "splice": (275, 76), "tee": (276, 77), "preadv2": (327, 286), "pwritev2": (328, 287),
    "fadvise64": (221, 223), "readahead": (187, 213), "mincore": (27, 232), "cachestat": (451, 451),
    # other processes and the kernel
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "process_madvise": (440, 440), "pidfd_getfd": (438, 438), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    # mounts, and the paths of the host that they tell
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fspick": (433, 433), "mount_setattr": (442, 442), "statmount": (457, 457), "listmount": (458, 458),
    "open_tree_attr": (467, 467), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
}  # fmt: skip
CLONE, CLONE3, FCNTL, PRCTL = (56, 220), (435, 435), (72, 25), (157, 167)
SOCKETS = ((41, 198), (53, 199))  # socket, socketpair
NEW_USER = 0x10000000  # CLONE_NEWUSER: a user namespace of one's own, the usual way into faults of the kernel
AF_UNIX = 1  # the one family of sockets that stays: asyncio wakes itself with a pair of them
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG: a process that gives its signal back could outlive the grader
# F_SETLK, F_SETLKW, their OFD forms, F_SETLEASE, F_SETPIPE_SZ: what a lock or a larger pipe takes counts nowhere
UNCOUNTED = (6, 7, 37, 38, 1024, 1031)
NEWEST = 467  # a call with a higher number is not known here, and "not there" (x86_64's second set of numbers too)
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, RETURN, EQUAL, AT_LEAST, ANY_BIT = 0x20, 0x06, 0x15, 0x35, 0x45
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24  # where they stand in struct seccomp_data


def program(machine=None):
    """Return the filter as bytes, or None where the numbers of the calls are not known."""
    machine = machine or platform.machine()
    if machine not in MACHINES:
        return None
    column = [*MACHINES].index(machine)
    steps = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    steps += [(AT_LEAST, 0, 1, NEWEST + 1), _refuse(errno.ENOSYS)]
    for numbers in REFUSED.values():
        if numbers[column] is not None:
            steps += _call(numbers[column], [_refuse(errno.EPERM)])
    steps += _call(CLONE3[column], [_refuse(errno.ENOSYS)])  # its flags cannot be read here; libc falls back to clone
    steps += _call(CLONE[column], [(LOAD, 0, 0, FIRST_ARGUMENT), (ANY_BIT, 0, 1, NEW_USER), _refuse(errno.EPERM)])
    for numbers in SOCKETS:
        family = [(LOAD, 0, 0, FIRST_ARGUMENT), (EQUAL, 1, 0, AF_UNIX), _refuse(errno.EAFNOSUPPORT)]
        steps += _call(numbers[column], family)
    signal = [(LOAD, 0, 0, FIRST_ARGUMENT), (EQUAL, 0, 1, SET_DEATH_SIGNAL), _refuse(errno.EPERM)]
    steps += _call(PRCTL[column], signal)
    locks = [step for lock in UNCOUNTED for step in ((EQUAL, 0, 1, lock), _refuse(errno.ENOLCK))]
    steps += _call(FCNTL[column], [(LOAD, 0, 0, SECOND_ARGUMENT), *locks])
    steps.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _refuse(number):
    return (RETURN, 0, 0, REFUSE | number)


def _call(number, steps):
    """Return the steps for one call, which end it: what they do not refuse is allowed."""
    steps = [*steps, (RETURN, 0, 0, ALLOW)]
    return [(EQUAL, 0, len(steps), number), *steps]


@contextlib.contextmanager
def filter_file():
    """Open a file from which bubblewrap reads the filter; its number, or None."""
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
