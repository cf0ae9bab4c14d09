"""What tests of tools share: a small tree to work on."""

import pytest


@pytest.fixture
def write_files(tmp_path):
    """write_files({path: text}): write these files below the folder of the test and return the folder."""

    def write_files(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, "utf-8")
        return tmp_path

    return write_files
