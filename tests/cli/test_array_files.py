"""Arrays from .npy and .npz: what is taken, and what is refused before it is loaded."""

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def npy(array: Any, name: str = "x.npy") -> None:
    np.save(name, array, allow_pickle=True)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        np.array([[1.0, 2.0], [3.0, 4.0]], dtype=">f8"),
        np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
        np.array([[1, 2], [3, 4]], dtype=np.int8),
        np.array([[1, 2], [3, 4]], dtype=">u4"),
        np.array([[1, 2], [3, 4]], dtype=np.float16),
    ],
)
def test_npy(value, array: Any) -> None:
    npy(array)
    assert value("@x.npy") == [[1.0, 2.0], [3.0, 4.0]]


def test_npy_of_other_shapes(value) -> None:
    npy(np.array(2.5))
    assert value("@x.npy") == 2.5
    npy(np.array([True, False]))
    assert value("@x.npy") == [True, False]
    npy(np.zeros((0, 3)))
    assert value("@x.npy") == []
    npy(np.array([2**53, -(2**53)]))
    assert value("@x.npy") == [2.0**53, -(2.0**53)]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1j]), "complex numbers"),
        (np.array(["a"]), "text"),
        (np.array([b"a"]), "text"),
        (np.array([None]), "Python objects"),
        (np.zeros(2, dtype=[("a", "f8")]), "structures"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "dates"),
        (np.array([2**53 + 1]), "beyond 2**53"),
        (np.array([2**63], dtype=np.uint64), "beyond 2**53"),
    ],
)
def test_npy_that_is_refused(refusal, array: Any, message: str) -> None:
    npy(array)
    assert message in refusal("@x.npy")


def header(text: str) -> bytes:
    data = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(data)) + data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x93NUMPY",
        b"not npy at all",
        b"\x80\x04\x95",
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }") + b"short",
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': 'abc', }"),
        header("{'descr': '|O', 'fortran_order': False}"),
        header("(" * 100),
        header("{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,), }"),
        b"\x93NUMPY\x03\x00" + b"\x00" * 50,
        b"\x93NUMPY\x02\x00" + struct.pack("<I", 50_000) + b" " * 50_000,
    ],
)
def test_damaged_npy(refusal, data: bytes) -> None:
    Path("x.npy").write_bytes(data)
    assert refusal("@x.npy") == "x.npy: not a whole .npy file"


def test_npy_of_a_huge_shape(refusal) -> None:
    Path("x.npy").write_bytes(header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"))
    assert "needs" in refusal("@x.npy", code=4)


def test_npz(run, value, refusal) -> None:
    np.savez("x.npz", a=np.array([1.0, 2.0]), b=np.array(3.0))
    assert value("@x.npz:a") == [1.0, 2.0]
    assert value("@x.npz:b") == 3.0
    assert "no array named 'c'" in refusal("@x.npz:c")
    assert "2 arrays" in refusal("@x.npz")
    assert run("eval", "x", "--at", "x=@x.npz", "--json").error["help"] == "pick one, as FILE.npz:KEY: it holds a, b"
    np.savez_compressed("one.npz", a=np.array([1.0, 2.0]))
    assert value("@one.npz") == [1.0, 2.0]


def test_names_of_weights_hold_slashes(value) -> None:
    np.savez("x.npz", **{"layer/w": np.array([1.0, 2]), "b": np.array([3.0])})
    assert value("@x.npz:layer/w") == [1, 2]
    assert value("@x.npz:b") == [3]


def test_npz_that_is_refused(refusal) -> None:
    Path("x.npz").write_bytes(b"PK\x03\x04 nothing")
    assert refusal("@x.npz:a") == "x.npz: not a whole .npz file"
    np.savez("x.npz", a=np.array([1j]))
    assert "complex" in refusal("@x.npz:a")
    np.savez("x.npz", a=np.array([None], dtype=object))
    assert "Python objects" in refusal("@x.npz:a")
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(2))
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.writestr("../../x.npy", buffer.getvalue())
    assert "folders" in refusal("@x.npz:a")


def test_npz_with_a_name_twice(refusal) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(2))
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.writestr("a.npy", buffer.getvalue())
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.npy", buffer.getvalue())
    assert "the same name" in refusal("@x.npz:a")


def test_npz_bomb(run) -> None:
    np.savez_compressed("x.npz", a=np.zeros(1_000_000))
    done = run("eval", "x", "--at", "x=@x.npz:a", "--max-memory", "1M", "--json")
    assert done.error["exit"] == 4


def test_data_from_npz(run) -> None:
    np.savez("data.npz", x=np.array([1.0, 2.0]), k=np.array(3.0))
    assert run("eval", "k*x", "--data", "data.npz").json["value"] == [3.0, 6.0]


def test_what_nobody_reads_may_be_anything(run, value, refusal) -> None:
    members = {
        "text": np.array(["a", "b"]),
        "bytes": np.array(b"csr"),
        "date": np.array(["2020-01-01"], dtype="M8[D]"),
        "span": np.array([1], dtype="m8[s]"),
        "object": np.array([None], dtype=object),
        "complex": np.array([1j]),
        "structure": np.zeros(2, dtype=[("a", "f8")]),
        "long": np.array([2**60]),
    }
    np.savez("x.npz", allow_pickle=True, x=np.array([1.0, 2.0]), k=np.array(3.0), **members)
    done = run("diff", "sum(x)*k", "--data", "x.npz")
    assert (done.json["gradient"], done.err) == ({"x": [3.0, 3.0], "k": 3.0}, "")
    assert value("@x.npz:x") == [1.0, 2.0]
    for name in members:
        assert refusal(f"@x.npz:{name}").startswith(f"x.npz:{name}")
        error = run("eval", f"{name}*x", "--data", "x.npz", "--json").error
        assert (error["exit"], error["in"]) == (5, "x.npz")
    Path("x.json").write_text('{"x": [1, 2], "text": ["a"], "long": 9007199254740993, "null": null, "deep": {"a": []}}')
    assert run("eval", "sum(x)", "--data", "x.json", "--json").json["value"] == 3.0


def test_what_is_damaged_and_not_read(run) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([1.0, 2.0]))
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.writestr("x.npy", buffer.getvalue())
        archive.writestr("broken.npy", b"\x93NUMPY")
        archive.writestr("readme.txt", "what this is")
        archive.writestr("huge.npy", header("{'descr': '<f8', 'fortran_order': False, 'shape': (10**9, 10**9), }"))
    assert run("eval", "x", "--data", "x.npz", "--json").json["value"] == [1.0, 2.0]
    assert run("eval", "x", "--at", "x=@x.npz:x", "--json").json["value"] == [1.0, 2.0]
    assert run("eval", "broken", "--data", "x.npz").code == 5
    assert run("eval", "z", "--data", "x.npz").code == 4


def test_large_members_that_nobody_reads_take_no_room(run) -> None:
    np.savez_compressed("x.npz", x=np.array([1.0]), large=np.zeros(1_000_000))
    words = ["--data", "x.npz", "--max-memory", "1M", "--json"]
    assert run("eval", "x", *words).json["value"] == [1.0]
    assert run("eval", "sum(large)", *words).error["exit"] == 4


def test_a_sparse_result_is_data_again(run, value) -> None:
    run("jacobian", "x**2", "--at", "x=[1,2,3]", "--mode", "sparse", "-o", "J.npz")
    with np.load("J.npz") as archive:
        names = {name: archive[name] for name in archive.files}
    kept = [name for name, array in names.items() if array.dtype.kind in "fi"]
    assert len(kept) < len(names)
    for name in kept:
        assert value(f"@J.npz:{name}") == names[name].tolist()
    (entries,) = (name for name, array in names.items() if array.dtype.kind == "f")
    assert run("eval", entries, "--data", "J.npz", "--json").json["value"] == [2.0, 4.0, 6.0]


def test_versions_of_npy(value, refusal) -> None:
    for version in ((1, 0), (2, 0), (3, 0)):
        with open("x.npy", "wb") as file:
            np.lib.format.write_array(file, np.array([1.0, 2.0]), version=version)
        assert value("@x.npy") == [1.0, 2.0]
    Path("x.npy").write_bytes(b"\x93NUMPY\x09\x01" + header("{}")[8:])
    assert refusal("@x.npy") == "x.npy: a .npy file of version 9.1, which NumPy does not know"


@pytest.mark.parametrize("shape", ["(True,)", "(True, 2)", "(2, False)", "(1.0,)", "('1',)", "(None,)", "[1]", "1"])
def test_shapes_that_are_none(refusal, shape: str) -> None:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    Path("x.npy").write_bytes(header(text) + np.zeros(2).tobytes())
    assert refusal("@x.npy") == "x.npy: not a whole .npy file"


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp <= 1024, reason="no wider numbers here")
def test_wider_numbers(value, refusal) -> None:
    npy(np.array([1.5, np.inf, np.nan], dtype=np.longdouble))
    assert value("@x.npy") == [1.5, "Infinity", "NaN"]
    npy(np.array([np.finfo(np.longdouble).max]))
    assert refusal("@x.npy") == "x.npy: too large for float64"
