"""Calls of what orders, sums up and rearranges elements, and what NumPy makes of them; see `matrix_calls`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.primitives.matrix_calls import Call, draw, flat, on

_NAN = np.float64(np.nan)


def holes(*shape: int) -> Any:
    x = draw("holes", *shape)
    x.flat[1] = np.nan
    return x


_AXES: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((3,), {}), ((2, 3), {"axis": 0}), ((2, 3), {"axis": -1, "keepdims": True}), ((2, 3, 2), {"axis": (0, 2)}),
    ((2, 3), {}), ((1,), {}), ((), {}),
]  # fmt: skip
_LINES: list[tuple[tuple[int, ...], dict[str, Any]]] = [((4,), {}), ((3, 2), {"axis": 0}), ((2, 3), {"axis": -1}),
                                                        ((1,), {})]  # fmt: skip


def over(names: str, cases: list[tuple[tuple[int, ...], dict[str, Any]]], **more: Any) -> list[Call]:
    return [(name, (draw(name, *shape),), {**params, **more}) for shape, params in cases for name in names.split()]


MASKS = np.array([[True, False, False], [True, True, False]])

CALLS: list[Call] = [
    *over("nansum nanmean nanmax nanmin ptp median", _AXES), *over("quantile", _AXES, q=0.3),
    *over("percentile", _AXES, q=100.0),
    ("quantile", (draw("x", 5), np.array(0.3)), {}), ("quantile", (draw("x", 2, 4), np.array(0.3)), {"axis": 1}),
    ("percentile", (draw("x", 3, 2), np.array(40.0)), {"axis": 0, "keepdims": True}),
    *over("sort cummax cummin cumprod logcumsumexp", _LINES),
    *over("sort argsort", [((3, 2), {"axis": None}), ((2, 3), {"descending": True}), ((), {})]),
    *over("count_nonzero any all", _AXES), *over("argmax argmin", [((3,), {}), ((2, 3), {"axis": 1}), ((2, 3), {})]),
    *over("argmax", [((2, 3), {"axis": 0, "keepdims": True}), ((2, 3), {"keepdims": True})]),
    *over("modf", [((3,), {}), ((), {}), ((2, 0), {})]), *over("normalize", [((3,), {}), ((2, 3), {"axis": 0})]),
    *on("cdist", (draw("a", 3, 2), -draw("b", 2, 2))), *on("cdist", (draw("a", 2, 1, 3), -draw("b", 2, 3))),
    *on("select", (MASKS, draw("a", 2, 3), np.float64(0.7))),
    *on("select", (draw("c", 2, 3), draw("a", 2, 3), np.float64(0.7))),
    *on("select", (MASKS[:, 0], draw("a", 2, 2, 1), draw("b", 3))),
    *over("topk", [((4,), {"k": 2}), ((2, 3), {"k": 1, "axis": 0, "largest": False}), ((3,), {"k": 0})]),
    *over("partition", [((4,), {"kth": 1}), ((2, 3), {"kth": -1, "axis": 0})]),
    *over("cumprod logcumsumexp", [((2, 3, 2), {"axis": 1}), ((0,), {})]),
    *on("recurrence", (draw("a", 2, 4), draw("b", 2, 4)), axis=-1),
    *on("recurrence", (draw("a", 3, 1), draw("b", 3, 2)), axis=-2),
    *on("average", (draw("x", 3), np.float64(1.0))), *on("average", (draw("x", 2, 3), draw("w", 3)), axis=1),
    *on("average", (draw("x", 2, 3), draw("w", 2)), axis=0, keepdims=True),
    *on("average", (draw("x", 3), draw("w", 3))), *on("average", (draw("x", 2, 3), draw("w", 2, 3))),
    *on("trapezoid", (draw("y", 4), _NAN, np.float64(1.0))), *on("trapezoid", (draw("y", 4), _NAN, np.float64(0.5))),
    *on("trapezoid", (draw("y", 2, 4), draw("x", 4), np.float64(1.0))),
    *on("trapezoid", (draw("y", 3, 2), draw("x", 3), np.float64(1.0)), axis=0),
    *on("trapezoid", (draw("y", 3, 2), draw("x", 3, 2), np.float64(1.0)), axis=0),
    *on("cov", (draw("x", 2, 4),)), *on("cov", (draw("x", 4, 2),), rowvar=False, ddof=0), *on("cov", (draw("x", 4),)),
    *on("cov", (draw("x", 1, 4),)),
    *on("corrcoef", (draw("x", 2, 4),)), *on("corrcoef", (draw("x", 4, 2),), rowvar=False),
    *over("roll", [((4,), {"shift": 1}), ((2, 3), {"shift": -1, "axis": 1}),
                   ((2, 3), {"shift": (1, 2), "axis": (0, 1)}), ((2, 3), {"shift": 2})]),
    *over("rot90", [((2, 3), {}), ((2, 3), {"k": 2}), ((2, 3, 2), {"axes": (1, 2)})]),
    *over("repeat", [((2, 2), {"repeats": 2}), ((2, 3), {"repeats": 3, "axis": 1}),
                     ((2,), {"repeats": (2, 0)}), ((2,), {"repeats": 0}), ((), {"repeats": 2})]),
    *over("tile", [((2,), {"reps": (3,)}), ((2, 1), {"reps": (1, 2)}), ((2,), {"reps": (2, 1)})]),
    *over("swapaxes", [((2, 3, 2), {"axis1": 0, "axis2": -1})]),
    *over("moveaxis", [((2, 3, 4), {"source": 0, "destination": -1}),
                       ((2, 3, 4), {"source": (0, 1), "destination": (2, 0)})]),
    *over("take", [((3,), {"indices": [2, 0, 0]}), ((2, 3), {"indices": [1, 1], "axis": 1}), ((2, 3), {"indices": 4})]),
    *over("index_select", [((2, 3), {"axis": 1, "index": [2, 0]})]),
    *over("take_along_axis", [((2, 3), {"indices": [[0, 2], [1, 1]], "axis": 1})]),
    *over("gather", [((2, 3), {"axis": 1, "index": [[0, 2]]}), ((2, 3), {"axis": 0, "index": [[0, 1, 1]]})]),
    *over("diagonal", [((2, 3), {}), ((3, 3), {"offset": 1}), ((2, 3, 3), {"axis1": 1, "axis2": 2})]),
    *over("split", [((4,), {"sections": 2}), ((2, 3), {"sections": (1, 2), "axis": 1})]),
    *over("chunk", [((5,), {"chunks": 2}), ((2, 3), {"chunks": 2, "axis": 1})]),
    *over("unbind", [((2, 3), {"axis": 1})]),
    *over("atleast_1d atleast_2d atleast_3d", [((), {}), ((2,), {}), ((2, 3), {}), ((2, 1, 2), {})]),
    *on("vstack hstack dstack column_stack", (draw("p", 2), draw("q", 2))),
    *on("vstack hstack dstack column_stack", (draw("p", 2, 2), draw("q", 2, 2))),
    *on("vstack", (draw("p", 2), draw("q", 3, 2))), *on("column_stack", (draw("p", 2), draw("q", 2, 3))),
    *on("meshgrid", (draw("x", 2), draw("y", 3))), *on("meshgrid", (draw("x", 2), draw("y", 3)), indexing="ij"),
    *on("meshgrid", (draw("x", 2), draw("y", 3), draw("z", 2))),
    *on("pad", (draw("x", 3), np.float64(0.0)), pad_width=2),
    *on("pad", (draw("x", 2, 3), np.float64(1.5)), pad_width=((1, 0), (0, 2))),
    *(call for mode in ("edge", "reflect", "symmetric", "wrap")
      for call in on("pad", (draw("x", 2, 3), np.float64(0.0)), pad_width=(1, 2), mode=mode) if mode != "reflect"),
    *on("pad", (draw("x", 4), np.float64(0.0)), pad_width=(1, 2), mode="reflect"),
    *over("diff", [((4,), {}), ((2, 3), {"axis": 0}), ((4,), {"n": 2}), ((2,), {"n": 3}), ((3,), {"n": 0})]),
    *over("gradient", [((4,), {}), ((3, 2), {"axis": 0, "spacing": 0.5}), ((2,), {})]),
    *(call for mode in (None, "full", "same", "valid") for sizes in ((4, 2), (2, 4), (3, 3), (4, 3), (1, 2))
      for call in on("convolve correlate", (draw("a", sizes[0]), draw("v", sizes[1])), mode=mode)),
    *on("logspace", (np.float64(0.2), np.float64(0.7)), num=3), *on("logspace", (np.float64(0), np.float64(1)), num=4,
                                                                    base=2.0),
    *on("full_like", (draw("x", 2, 3), draw("v", 3))), *on("full_like", (draw("x", 2), np.float64(3.0))),
]  # fmt: skip


def ranked(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    ascending = np.sort(x, axis=axis)
    return np.take(np.flip(ascending, axis) if largest else ascending, range(k), axis=axis)


def ordered(x: Any, axis: Any = -1, descending: bool = False) -> Any:
    return x if np.ndim(x) == 0 else -np.sort(-x, axis) if descending else np.sort(x, axis)


def positions(x: Any, axis: Any = -1, descending: bool = False) -> Any:
    return np.zeros(()) if np.ndim(x) == 0 else np.argsort(-x if descending else x, axis)


def integral(y: Any, x: Any, dx: Any, axis: int = -1) -> Any:
    return np.trapezoid(y, None if np.ndim(x) == 0 else x, dx, axis)


def recurrence(a: Any, b: Any, axis: int) -> Any:
    a, b = (np.moveaxis(x, axis, 0) for x in np.broadcast_arrays(a, b))
    out: list[Any] = []
    for factor, term in zip(a, b, strict=True):
        out.append(term + (factor * out[-1] if out else 0.0))
    return np.moveaxis(np.array(out), 0, axis)


def parts(x: Any, chunks: int, axis: int = 0) -> Any:
    return flat(*np.array_split(x, chunks, axis))


def padded(x: Any, value: Any, pad_width: Any, mode: str = "constant") -> Any:
    return np.pad(x, pad_width, constant_values=value) if mode == "constant" else np.pad(x, pad_width, mode)  # type: ignore[call-overload]


def chosen(conditions: Any, choices: Any, default: Any) -> Any:
    return np.where(conditions[0], choices[0], np.where(conditions[1], choices[1], default))


REFERENCES: dict[str, Callable[..., Any]] = {
    "modf": lambda x: flat(*np.modf(x)), "select": chosen,
    "normalize": lambda x, axis=-1: x / np.linalg.norm(x, axis=axis, keepdims=True),
    "cdist": lambda a, b: np.linalg.norm(a[..., :, None, :] - b[..., None, :, :], axis=-1),
    "nansum": np.nansum, "nanmean": np.nanmean, "nanmax": np.nanmax, "nanmin": np.nanmin, "ptp": np.ptp,
    "median": np.median, "quantile": np.quantile, "percentile": np.percentile, "sort": ordered, "argsort": positions,
    "cummax": lambda x, axis=0: np.maximum.accumulate(x, axis),
    "cummin": lambda x, axis=0: np.minimum.accumulate(x, axis), "cumprod": lambda x, axis=0: np.cumprod(x, axis),
    "logcumsumexp": lambda x, axis=0: np.log(np.cumsum(np.exp(x), axis)),
    "count_nonzero": lambda x, axis=None, keepdims=False: np.sum(x != 0, axis=axis, keepdims=keepdims),
    "argmax": np.argmax, "argmin": np.argmin, "any": np.any, "all": np.all, "topk": ranked,
    "partition": lambda x, kth, axis=-1: np.partition(x, kth, axis),
    "recurrence": recurrence, "average": lambda x, w, axis=None, keepdims=False: np.average(
        x, axis, None if np.ndim(w) == 0 else w, keepdims=keepdims),
    "trapezoid": integral, "cov": lambda x, ddof=1, rowvar=True: np.cov(x, ddof=ddof, rowvar=rowvar),
    "corrcoef": lambda x, rowvar=True: np.corrcoef(x, rowvar=rowvar), "roll": np.roll,
    "rot90": lambda x, k=1, axes=(0, 1): np.rot90(x, k, axes), "repeat": np.repeat, "tile": np.tile,
    "swapaxes": lambda x, axis1, axis2: np.swapaxes(x, axis1, axis2), "moveaxis": np.moveaxis, "take": np.take,
    "index_select": lambda x, axis, index: np.take(x, index, axis),
    "take_along_axis": lambda x, indices, axis: np.take_along_axis(x, np.array(indices), axis),
    "gather": lambda x, axis, index: np.take_along_axis(x[:1] if axis else x, np.array(index), axis),
    "diagonal": np.diagonal, "split": lambda x, sections, axis=0: flat(*np.split(x, sections, axis)), "chunk": parts,
    "unbind": lambda x, axis=0: flat(*np.moveaxis(x, axis, 0)), "atleast_1d": np.atleast_1d,
    "atleast_2d": np.atleast_2d, "atleast_3d": lambda x: x[..., None] if np.ndim(x) == 2 else np.reshape(
        x, (1, -1, 1)) if np.ndim(x) < 2 else x,
    "vstack": lambda *xs: np.vstack(xs), "hstack": lambda *xs: np.hstack(xs), "dstack": lambda *xs: np.dstack(xs),
    "column_stack": lambda *xs: np.column_stack(xs),
    "meshgrid": lambda *xs, indexing="xy": flat(*np.meshgrid(*xs, indexing=indexing)), "pad": padded,
    "diff": lambda x, n=1, axis=-1: np.diff(x, n, axis),
    "gradient": lambda x, spacing=1.0, axis=0: np.gradient(x, spacing, axis=axis),
    "convolve": lambda a, v, mode=None: np.convolve(a, v, mode or "full"),
    "correlate": lambda a, v, mode=None: np.correlate(a, v, mode or "valid"),
    "logspace": lambda a, b, num, base=10.0: base ** np.linspace(a, b, num), "full_like": np.full_like,
}  # fmt: skip
