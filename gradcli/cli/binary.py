"""Arrays to .npy and .npz files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

import numpy as np

from gradcli.cli import target
from gradcli.render.arrays import Arrays, Band, Rows


def write_arrays(arrays: Arrays | Rows, form: str, path: str) -> None:
    with target.written(path, binary=True) as file:
        if isinstance(arrays, Rows):
            _stream(file, arrays)
            return
        named = {name: np.asarray(value) for name, value in arrays.named.items()}
        if form == "npz":
            _pack(file, named)
        else:
            np.lib.format.write_array(file, _matrix(named, arrays.bands), allow_pickle=False)


def _stream(file: IO[Any], rows: Rows) -> None:
    """A .npy, block by block: no more than one of them is ever in memory."""
    header = {"descr": "<f8", "fortran_order": False, "shape": rows.shape}
    np.lib.format.write_array_header_1_0(file, header)
    for pieces in rows.blocks:
        if pieces:
            file.write(np.ascontiguousarray(np.concatenate(pieces, axis=1), dtype="<f8").data)


def _pack(file: IO[Any], named: dict[str, Any]) -> None:
    """A .npz, by hand: numpy.savez cannot store an array called `file`."""
    import zipfile

    with zipfile.ZipFile(file, "w") as archive:
        for name, array in named.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def _matrix(named: Mapping[str, Any], bands: Iterable[Band]) -> Any:
    """One array as it is; several as one matrix."""
    if len(named) == 1:
        return next(iter(named.values()))
    wide = [
        [named[name].reshape(rows, named[name].size // rows) for name in names] or [np.zeros((rows, 0))]
        for rows, names in bands
        if rows
    ]
    return np.concatenate([np.concatenate(blocks, axis=1) for blocks in wide] or [np.zeros((0, 0))])
