"""Files are hostile too: regular ones only, judged before they are loaded, never quoted, never unpickled."""

import io
import os
import pickle
import zipfile

import numpy as np
import pytest

from gradcli.cli import files


def npy(array, **more):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **more)
    return file.getvalue()


def header(shape, descr="<f8"):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue()


def archive(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, data in members.items():
            whole.writestr(name.replace("__", "/").replace("up", "..") + ".npy", data)
    return file.getvalue()


class Bomb:
    def __reduce__(self):
        return os.system, ("touch pwned",)


REFUSED = {
    "empty.npy": b"",
    "truncated.npy": npy(np.arange(10.0))[:-8],
    "object.npy": npy(np.array([Bomb()], dtype=object), allow_pickle=True),
    "pickle.npy": pickle.dumps(Bomb()),
    "huge_shape.npy": header((10**9, 10**9)),
    "negative.npy": header((-1, 3)),
    "long_header.npy": b"\x93NUMPY\x01\x00\xff\xff" + b"{" * 65535,
    "nested_header.npy": b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65534 + b"\n",
    "complex.npy": npy(np.array([1j])),
    "string.npy": npy(np.array(["a"])),
    "structured.npy": npy(np.zeros(2, dtype=[("a", "f8")])),
    "date.npy": npy(np.array(["2020-01-01"], dtype="M8[D]")),
    "big_integer.npy": npy(np.array([2**60])),
    "bomb.npz": archive(a=npy(np.zeros(60_000_000 // 2)), b=npy(np.zeros(1))),
    "up.npz": archive(up__up__x=npy(np.zeros(1))),
    "two.npz": archive(a=npy(np.zeros(1)), b=npy(np.zeros(1))),
    "no.npz": b"PK\x05\x06" + b"\0" * 10,
    "text.npz": archive(a=b"hello"),
    "ragged.csv": b"1,2\n3\n",
    "semicolon.csv": b"1,5;2\n3,4;1\n",
    "utf16.csv": "1,2\n".encode("utf-16"),
    "binary.csv": bytes(range(256)),
    "words.csv": b"a,b\n1,secret\n",
    "overflow.csv": b"1e999\n",
    "empty.csv": b"",
    "header.csv": b"a,b\n",
    "quoted.csv": b'"1,2\n' + b"3\n" * 5,
    "object.json": b'{"a": 1}',
    "ragged.json": b"[1, [2]]",
    "overflow.json": b"[1e400]",
    "twice.json": b'{"a": 1, "a": 2}',
    "integer.json": b"[123456789012345678901]",
    "deep.json": b"[" * 100_000,
    "deep_closed.json": b"[" * 100 + b"]" * 100,
    "null.json": b"[null]",
    "text.json": b'["secret"]',
    "not.json": b"secret",
    "latin1.json": b'["\xe9"]',
    "suffix.pkl": pickle.dumps(Bomb()),
    "no_suffix": b"1",
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("option", ["--at", "--data"])
def test_refused(run, tmp_path, name, option):
    (tmp_path / name).write_bytes(REFUSED[name])
    if option == "--data" and name in ("object.json", "two.npz"):  # what --data is for
        return
    before = sorted(tmp_path.iterdir())
    words = ["--at", f"x=@{name}"] if option == "--at" else ["--data", name]
    # Of an archive, only what is read must be numbers.
    text = "a" if option == "--data" and name in ("bomb.npz", "text.npz") else "x"
    done = run("eval", text, *words, "--max-memory", "200M")
    assert done.code in (4, 5), done.out
    assert name in done.err
    assert "secret" not in done.err
    assert done.err.count("\n") <= 4
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "path", ["/dev/zero", "/etc/passwd", "../../etc/shadow", ".", "fifo", "missing", "/dev/stdin", "fifo.npy"]
)
def test_only_regular_files(run, tmp_path, monkeypatch, path):
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    os.mkfifo(tmp_path / path) if path.startswith("fifo") else None
    done = run("eval", "x", "--at", f"x=@{path}")
    assert done.code == 5
    assert "root" not in done.err
    assert run("eval", "-f", path).code in (3, 5)


READ = {
    "big_endian.npy": (npy(np.array([1.0, 2.0], dtype=">f8")), [1.0, 2.0]),
    "fortran.npy": (npy(np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])), [[1.0, 2.0], [3.0, 4.0]]),
    "small.npy": (npy(np.array([1, 2], dtype="i1")), [1.0, 2.0]),
    "float32.npy": (npy(np.array([0.5], dtype="f4")), [0.5]),
    "mask.npy": (npy(np.array([True])), [True]),
    "version2.npy": (npy(np.array([1.0]), version=(2, 0)), [1.0]),
    "one.npz": (archive(a=npy(np.array([1.0]))), [1.0]),
    "nan.csv": (b"1,nan,\n", [1.0, "NaN", "NaN"]),
    "bom.csv": (b"\xef\xbb\xbf1,2\n", [1.0, 2.0]),
    "crlf.csv": (b"a,b\r\n1,2\r\n3,4\r\n", [[1.0, 2.0], [3.0, 4.0]]),
    "nan.json": (b"[NaN, -Infinity]", ["NaN", "-Infinity"]),
    "words.json": (b'["nan", "inf"]', ["NaN", "Infinity"]),
}


@pytest.mark.parametrize("name", READ)
def test_read(run, tmp_path, name):
    data, value = READ[name]
    (tmp_path / name).write_bytes(data)
    assert run("eval", "x", "--at", f"x=@{name}").json["value"] == value


def test_no_file_and_no_name(run):
    assert "no file after @" in run("eval", "x", "--at", "x=@").err
    assert run("eval", "x + y", "--at", "x=@-", "--at", "y=@-").code == 2


def test_expressions_open_nothing(run, tmp_path):
    (tmp_path / "a.npy").write_bytes(npy(np.zeros(1)))
    for text in ("@a.npy", 'load("a.npy")', "fromfile('a.npy')", "x = @a.npy"):
        assert run("eval", text).code in (3, 4)


def test_nothing_here_is_configuration(run, tmp_path):
    """Files in the current folder that carry the program's own names are not read."""
    for name in ("grammar/expression.lark", "gradcli.toml", "numpy.py", "expression.lark", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit(9)")
    assert run("eval", "1 + 1").json["value"] == 2.0
