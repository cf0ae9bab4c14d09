"""Read a folder or a zip of submissions into entries, without looking into a student's file."""

import os
import stat
import struct
import time
import zipfile
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from . import parsing
from .model import CourseError
from .submissions import Entry

# What opening a zip raises: names that are not the text they claim to be are a ValueError, later versions of the format
# a NotImplementedError, and fields that are cut off a struct.error.
NO_ZIP = (OSError, zipfile.BadZipFile, ValueError, NotImplementedError, struct.error)


def entries(place):
    """Return the entries of a folder or a zip; CourseError if it is neither."""
    if place.is_dir():
        return _without_times_of_clones(list(_in_folder(place)))
    if not place.is_file():
        raise CourseError(f"There is no folder {place} with submissions.")
    try:
        archive = zipfile.ZipFile(place)
    except NO_ZIP as error:
        raise CourseError(f"{place} is neither a folder nor a zip that can be opened.") from error
    return _without_times_of_clones(list(_in_zip(archive)))


def _without_times_of_clones(found):
    """Return entries without the times of files in a git clone: those are the times of the checkout."""
    clones = {entry.parts[: entry.parts.index(".git")] for entry in found if ".git" in entry.parts}

    def cloned(parts):
        return any(parts[:depth] in clones for depth in range(len(parts)))

    return [replace(entry, stamp="") if clones and cloned(entry.parts) else entry for entry in found]


def read_file(path):
    """Return the bytes of a file, or a sentence that says why it cannot be read. Links are not followed."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return "It is not an ordinary file."
            return file.read(parsing.LARGEST + 1)
    except OSError as error:
        return f"It cannot be read: {error.strerror}."


def _in_folder(folder):
    """Yield an `Entry` for every file, link, and folder that is empty or cannot be read."""
    unreadable: list = []
    for top, inside, names in os.walk(folder, onerror=lambda error: unreadable.append(error.filename)):
        links = [name for name in inside if os.path.islink(os.path.join(top, name))]
        for name in sorted([*names, *links]):
            path = os.path.join(top, name)
            try:
                moment = time.localtime(os.lstat(path).st_mtime)[:6]
            except OSError:  # a path that is too long for this machine
                moment = (0,) * 6
            parts = PurePosixPath(os.path.relpath(path, folder)).parts
            yield Entry(_decoded(parts), _stamp(moment), partial(read_file, path))
        if not inside and not names and top != str(folder):
            yield _without_files(top, folder, "The folder is empty.")
    for top in unreadable:
        yield _without_files(top, folder, "It cannot be read.")


def _without_files(top, folder, why):
    """Return the `Entry` of a folder in ``folder`` that gives no file, and says why."""
    parts = PurePosixPath(os.path.relpath(top, folder)).parts
    return Entry((*_decoded(parts), ""), "", lambda: why)


def _in_zip(archive):
    """Yield an `Entry` for every file of a zip that the platform or the instructor, not a student, has packed."""
    members = [(_name(info), info) for info in archive.infolist()]
    holders = {parent for name, _ in members for parent in PurePosixPath(name).parents}
    for name, info in members:
        path = PurePosixPath(name)
        parts = _decoded(part for part in path.parts if part.strip("/") and part != "..")
        is_folder = name.endswith("/")
        if parts and not is_folder:
            yield Entry(parts, _stamp(info.date_time), partial(_read_member, archive, info))
        elif parts and path not in holders:
            yield Entry((*parts, ""), "", lambda: "The folder is empty.")


def _name(info):
    """Return the name of a member, with slashes between its parts."""
    name = info.filename
    if not info.flag_bits & 0x800:  # some programs write UTF-8 and do not say so
        with suppress(ValueError):
            name = name.encode("cp437").decode("utf-8")
    return name if "/" in name else name.replace("\\", "/")  # as some programs on Windows write


def _read_member(archive, info):
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "It cannot be read from the zip: no platform packs files like this."
    try:
        with archive.open(info) as file:
            return file.read(parsing.LARGEST + 1)
    except Exception as error:  # a damaged member costs only itself
        return f"It cannot be read from the zip ({type(error).__name__})."


def _decoded(parts):
    """Return parts of a path as text; bytes that are not UTF-8 become replacement characters."""
    return tuple(os.fsencode(part).decode("utf-8", "replace") for part in parts)


def _stamp(moment):
    return "-".join(f"{number:02}" for number in moment)
