"""Files written whole or not at all."""

import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradcli.cli import target
from gradcli.errors import LimitExceeded, OutputFailed

posix = pytest.mark.skipif(os.name != "posix", reason="permissions, links and pipes of POSIX")
NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str) -> None:
    with target.written(path) as file:
        file.write(text)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), LimitExceeded("no"), KeyboardInterrupt()])
def test_a_failure_midway_keeps_the_old_file(folder: Path, error: BaseException) -> None:
    Path("out.json").write_text("old")

    def fail(path: str) -> None:
        with target.written(path) as file:
            file.write("new")
            file.flush()
            raise error

    with pytest.raises(OutputFailed if isinstance(error, OSError) else type(error)):
        fail("out.json")
    assert Path("out.json").read_text() == "old"
    assert os.listdir() == ["out.json"]
    with pytest.raises(type(error) if not isinstance(error, OSError) else OutputFailed):
        fail("other.json")
    assert os.listdir() == ["out.json"]


def test_a_move_that_fails_keeps_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*places: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    Path("out.json").write_text("old")
    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OutputFailed, match=r"cannot write out\.json: Operation not permitted"):
        write("out.json", "new")
    assert Path("out.json").read_text() == "old"
    assert os.listdir() == ["out.json"]


def test_what_is_abandoned_is_taken_away(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a process that ends without coming back from its block."""
    monkeypatch.setattr(target, "_making", threading.Lock())
    Path("out.json").write_text("old")

    def broken_off() -> None:
        with target.written("out.json") as file:
            file.write("new")
            assert len(os.listdir()) == 2
            target.abandon()
            assert os.listdir() == ["out.json"]

    with pytest.raises(OutputFailed):
        broken_off()
    assert Path("out.json").read_text() == "old"
    monkeypatch.setattr(target, "_making", threading.Lock())
    write("out.json", "newer")
    target.abandon()
    assert Path("out.json").read_text() == "newer"


def test_a_bug_midway_keeps_the_old_file(run, monkeypatch: pytest.MonkeyPatch) -> None:
    from gradcli.render import rows

    def broken(result: object) -> object:
        yield "x\n"
        raise ZeroDivisionError

    Path("out.csv").write_text("old")
    monkeypatch.setattr(rows, "jacobian_csv", broken)
    assert run("jacobian", "x", "--at", "x=1", "-o", "out.csv").code == 70
    assert Path("out.csv").read_text() == "old"
    assert os.listdir() == ["out.csv"]


@posix
def test_permissions_and_links_stay(folder: Path) -> None:
    Path("out.json").write_text("old")
    os.chmod("out.json", 0o640)
    os.symlink("out.json", "link.json")
    write("link.json", "new")
    assert os.path.islink("link.json")
    assert Path("out.json").read_text() == "new"
    assert stat.S_IMODE(os.stat("out.json").st_mode) == 0o640
    os.symlink("later.json", "dangling.json")
    write("dangling.json", "new")
    assert Path("later.json").read_text() == "new"


@posix
def test_a_new_file_has_the_usual_permissions(folder: Path) -> None:
    write("out.json", "new")
    Path("other").write_text("")
    assert os.stat("out.json").st_mode == os.stat("other").st_mode


@posix
def test_a_pipe_is_written_through(folder: Path) -> None:
    os.mkfifo("pipe.json")
    reader = os.open("pipe.json", os.O_RDONLY | os.O_NONBLOCK)
    write("pipe.json", "new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    assert stat.S_ISFIFO(os.stat("pipe.json").st_mode)


@pytest.fixture
def not_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder, and no right to write everywhere: where root runs the tests, nobody runs this one."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        if os.getuid() == 0:
            os.chown(folder, NOBODY, -1)
            os.setresuid(NOBODY, NOBODY, 0)
            yield Path(folder)
            os.setresuid(0, 0, 0)
        else:
            yield Path(folder)


@posix
def test_permissions_are_respected(not_root: Path) -> None:
    Path("out.json").write_text("old")
    os.chmod("out.json", 0o444)
    with pytest.raises(OutputFailed, match="Permission denied"):
        write("out.json", "new")
    os.chmod("out.json", 0o644)
    os.chmod(not_root, 0o555)
    try:
        write("out.json", "new")
    finally:
        os.chmod(not_root, 0o755)
    assert Path("out.json").read_text() == "new"


def test_a_folder_is_no_file(folder: Path) -> None:
    Path("out.json").mkdir()
    with pytest.raises(OutputFailed, match=r"out\.json: Is a directory|Permission denied"):
        write("out.json", "new")


def test_stdout_by_its_name(run) -> None:
    assert run("diff", "x", "--at", "x=1", "-o", "/dev/stdout", "--plain").out == "x 1.0\n"
