"""List the files of a folder or a zip, each with a way to read it that ends whatever the file is."""

import os
import stat
import time
import zipfile
from pathlib import PurePosixPath

from . import reading


def read_file(path):
    """Return the bytes of a file; a sentence if they cannot be had. Links are not followed."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return "It is not an ordinary file."
            return file.read(reading.LARGEST + 1)
    except OSError as error:
        return f"It cannot be read: {error.strerror}."


def _read_member(archive, info):
    try:
        with archive.open(info) as file:
            return file.read(reading.LARGEST + 1)
    except (OSError, RuntimeError, NotImplementedError, zipfile.BadZipFile, EOFError, ValueError) as error:
        return f"It cannot be read from the zip: {' '.join(str(error).split())[:100]}."
    except Exception as error:  # zlib.error, lzma's: a damaged member costs only itself
        return f"It cannot be read from the zip: {type(error).__name__}."


def in_folder(folder):
    """Return (path inside, time, read) for every file, empty folder and link below a folder."""
    for top, inside, names in os.walk(folder):
        links = [name for name in inside if os.path.islink(os.path.join(top, name))]
        for name in sorted([*names, *links]):
            path = os.path.join(top, name)
            moment = time.localtime(os.lstat(path).st_mtime)
            yield PurePosixPath(os.path.relpath(path, folder)), moment[:6], lambda path=path: read_file(path)
        if not inside and not names and top != str(folder):
            yield PurePosixPath(os.path.relpath(top, folder)), (0,) * 6, lambda: "The folder is empty."


def in_zip(file):
    """Return (path inside, time, read) for every file in a zip."""
    archive = zipfile.ZipFile(file)
    holders = {os.path.dirname(name.rstrip("/")) for name in archive.namelist()}
    for info in archive.infolist():
        name = info.filename
        if not info.flag_bits & 0x800:  # some programs write UTF-8 and do not say so
            try:
                name = name.encode("cp437").decode("utf-8")
            except ValueError:
                name = info.filename
        parts = [part for part in PurePosixPath(name).parts if part not in ("/", "..")]
        if parts and info.is_dir():
            if info.filename.rstrip("/") not in holders:
                yield PurePosixPath(*parts), info.date_time, lambda: "The folder is empty."
        elif parts:
            yield PurePosixPath(*parts), info.date_time, lambda info=info: _read_member(archive, info)
