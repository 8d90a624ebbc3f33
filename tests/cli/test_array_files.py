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
