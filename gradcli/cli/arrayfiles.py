"""Arrays from .npy and .npz: the header is judged before anything is loaded, and nothing is ever unpickled."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from gradcli.cli.files import listed
from gradcli.cli.jsondata import EXACT
from gradcli.errors import BadInput, GradcliError
from gradcli.primitives import budget

if TYPE_CHECKING:
    from typing import BinaryIO

    from gradcli.results import Array

# What NumPy, zipfile and zlib raise for damaged files. A header is Python text, read by ast.literal_eval.
_DAMAGED = (
    ValueError,
    EOFError,
    OSError,
    KeyError,
    RuntimeError,
    NotImplementedError,
    SyntaxError,
    MemoryError,
    RecursionError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
_KINDS = {"c": "complex numbers", "O": "Python objects", "S": "text", "U": "text", "V": "structures"}


def npy(file: BinaryIO, where: str) -> Array:
    """The array of a .npy file."""
    try:
        _judge(file, where)
        file.seek(0)
        return _numbers(np.lib.format.read_array(file, allow_pickle=False), where)
    except GradcliError:
        raise
    except _DAMAGED:
        raise BadInput(f"{where}: not a whole .npy file") from None


def npz(file: BinaryIO, where: str) -> dict[str, Array]:
    """Every array of a .npz file by its name."""
    try:
        with zipfile.ZipFile(file) as archive:
            return {name: _member(archive, name, where) for name in _names(archive, where)}
    except GradcliError:
        raise
    except _DAMAGED:
        raise BadInput(f"{where}: not a whole .npz file") from None


def npz_member(file: BinaryIO, key: str, where: str) -> Array:
    """One array of a .npz file; without a key, the only one."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = _names(archive, where)
            if not key and len(names) == 1:
                key = names[0]
            if key not in names:
                what = f"no array named {key!r}" if key else f"{len(names)} arrays"
                raise BadInput(f"{where}: {what}", help=f"pick one, as FILE.npz:KEY: it holds {listed(names)}")
            return _member(archive, key, where)
    except GradcliError:
        raise
    except _DAMAGED:
        raise BadInput(f"{where}: not a whole .npz file") from None


def _names(archive: zipfile.ZipFile, where: str) -> list[str]:
    """The members, all of them flat .npy files with names of their own, together within the budget."""
    members = archive.infolist()
    names = [member.filename.removesuffix(".npy") for member in members]
    if len(set(names)) < len(names):
        raise BadInput(f"{where}: two arrays have the same name")
    if any("/" in name or "\\" in name for name in names):
        raise BadInput(f"{where}: holds folders, not only arrays")
    if sum(member.file_size for member in members) > budget.limit():
        budget.require(where, (sum(member.file_size for member in members) // budget.ITEM,))
    return names


def _member(archive: zipfile.ZipFile, name: str, where: str) -> Array:
    stored = name + ".npy" if name + ".npy" in archive.NameToInfo else name
    place = f"{where}:{name}"
    with archive.open(stored) as member:
        _judge(member, place)
    with archive.open(stored) as member:
        return _numbers(np.lib.format.read_array(member, allow_pickle=False), place)


def _judge(file: IO[bytes], where: str) -> None:
    """Refuse by the header alone what is not numbers or does not fit."""
    shape, dtype = _header(file)
    if dtype.kind not in "fiub":
        raise BadInput(f"{where}: holds {_KINDS.get(dtype.kind, 'dates')}, not real numbers")
    if any(length < 0 for length in shape):
        raise BadInput(f"{where}: not a whole .npy file")
    budget.require(where, shape)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, _, dtype = np.lib.format.read_array_header_2_0(file)
    else:  # only names of structures need a later one
        raise ValueError(version)
    return shape, dtype


def _numbers(array: Array, where: str) -> Array:
    """As float64 (or bool) in memory order, whatever the file's byte order, precision and layout."""
    if array.dtype.kind == "b":
        return np.ascontiguousarray(array)
    if array.dtype.kind in "iu" and array.size and (int(array.max()) > EXACT or int(array.min()) < -EXACT):
        raise BadInput(f"{where}: an integer beyond 2**53, which float64 would round")
    return np.array(array, dtype=np.float64, order="C")
