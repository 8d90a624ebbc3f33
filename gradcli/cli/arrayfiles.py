"""Arrays from .npy and .npz: the header is judged before anything is loaded, and nothing is ever unpickled."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from gradcli.cli.files import listed
from gradcli.cli.jsondata import BEYOND, OVERFLOW
from gradcli.errors import BadInput, GradcliError
from gradcli.lowering.rounded import EXACT
from gradcli.primitives import budget
from gradcli.span import Source

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
    with _judged(where, ".npy"):
        _judge(file, where)
        file.seek(0)
        return _numbers(np.lib.format.read_array(file, allow_pickle=False), where)


def npz(file: BinaryIO, where: str, wanted: Collection[str]) -> tuple[dict[str, Array], tuple[str, ...]]:
    """The `wanted` arrays of a .npz file by their names, and the names of all."""
    with _judged(where, ".npz"), zipfile.ZipFile(file) as archive:
        names = _names(archive, where)
        read = [name for name in names if name in wanted]
        _require_room(archive, read, where)
        return {name: _member(archive, name, where) for name in read}, names


def npz_member(file: BinaryIO, key: str, where: str) -> Array:
    """One array of a .npz file; without a key, the only one."""
    with _judged(where, ".npz"), zipfile.ZipFile(file) as archive:
        names = _names(archive, where)
        if not key and len(names) == 1:
            (key,) = names
        if key not in names:
            what = f"no array named {key!r}" if key else f"{len(names)} arrays"
            raise BadInput(f"{where}: {what}", help=f"pick one, as FILE.npz:KEY: it holds {listed(names)}")
        _require_room(archive, [key], where)
        return _member(archive, key, where)


@contextmanager
def _judged(where: str, kind: str) -> Iterator[None]:
    """Within, whatever a damaged file brings about is BadInput, and every error names the file."""
    try:
        yield
    except GradcliError as error:
        error.source = Source("", where, quoted=False)
        raise
    except _DAMAGED:
        raise BadInput(f"{where}: not a whole {kind} file", source=Source("", where, quoted=False)) from None


def _names(archive: zipfile.ZipFile, where: str) -> tuple[str, ...]:
    """The members, all of them .npy files with names of their own; one may hold a slash, as those of weights do."""
    names = tuple(member.filename.removesuffix(".npy") for member in archive.infolist())
    if len(set(names)) < len(names):
        raise BadInput(f"{where}: two arrays have the same name")
    if any("\\" in name or not {"", ".."}.isdisjoint(name.split("/")) for name in names):
        raise BadInput(f"{where}: holds folders, not only arrays")
    return names


def _require_room(archive: zipfile.ZipFile, names: Iterable[str], where: str) -> None:
    """Refuse arrays that are together too large, unpacked."""
    size = sum(archive.getinfo(_stored(archive, name)).file_size for name in names)
    if size > budget.limit():
        budget.require(where, (size // budget.ITEM,))


def _stored(archive: zipfile.ZipFile, name: str) -> str:
    return name + ".npy" if name + ".npy" in archive.NameToInfo else name


def _member(archive: zipfile.ZipFile, name: str, where: str) -> Array:
    place, stored = f"{where}:{name}", _stored(archive, name)
    with archive.open(stored) as member:
        _judge(member, place)
    with archive.open(stored) as member:
        return _numbers(np.lib.format.read_array(member, allow_pickle=False), place)


def _judge(file: IO[bytes], where: str) -> None:
    """Refuse by the header alone what is not numbers or does not fit."""
    shape, dtype = _header(file, where)
    if dtype.kind not in "fiub":
        raise BadInput(f"{where}: holds {_KINDS.get(dtype.kind, 'dates')}, not real numbers")
    # A header is written in Python, whose True counts as a whole number.
    if any(type(length) is not int or length < 0 for length in shape):
        raise BadInput(f"{where}: not a whole .npy file")
    budget.require(where, shape)


def _header(file: IO[bytes], where: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    elif version in ((2, 0), (3, 0)):  # they differ in the encoding of the names in structures
        shape, _, dtype = np.lib.format.read_array_header_2_0(file)
    else:
        raise BadInput(f"{where}: a .npy file of version {version[0]}.{version[1]}, which NumPy does not know")
    return shape, dtype


def _numbers(array: Array, where: str) -> Array:
    """As float64 (or bool) in memory order, whatever the file's byte order, precision and layout."""
    if array.dtype.kind == "b":
        return np.ascontiguousarray(array)
    if array.dtype.kind in "iu" and array.size and (int(array.max()) > EXACT or int(array.min()) < -EXACT):
        raise BadInput(f"{where}: {BEYOND}")
    with np.errstate(over="ignore"):
        numbers = np.array(array, dtype=np.float64, order="C")
    if array.dtype.itemsize > numbers.itemsize and bool((np.isinf(numbers) & np.isfinite(array)).any()):
        raise BadInput(f"{where}: {OVERFLOW}")
    return numbers
