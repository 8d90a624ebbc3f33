"""The functions of PyTorch and JAX under gradcli's names, and what is known to be wrong in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from gradcli.primitives import TABLE
from gradcli.primitives.signature import REQUIRED
from gradcli.primitives.table import Primitive
from tests.benchmarks.peers import jax, torch

Words = dict[str, Callable[..., Any]]

ALONG = "sum mean prod amax amin logsumexp nansum nanmean var std norm".split()
RUNNING = "softmax log_softmax cumsum cumprod logcumsumexp cummax cummin sort flip".split()
LOSSES = "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits".split()

PEERS_ARE_WRONG = {
    "PyTorch": {
        "j0": "single precision inside: j0(1) is off by 1e-9 (mpmath.besselj)",
        "j1": "single precision inside, as j0",
        "hardsigmoid": "its slope is the float32 nearest to 1/6",
        "celu": "its alpha is a float32 in the backward pass",
        "det": "the gradient of a singular matrix is 0 without create_graph; the adjugate is right",
        "logit": "outside of [0, 1] its second slope is 0 where there is no function",
        "entr": "below 0 its second slope is -1/x where there is no function",
        "maximum": "of nan: both slopes are 1",
        "log_ndtr": "below -1e4 its slope has lost 5 digits (mpmath.ncdf)",
        "nansum": "0*inf: a lane that is left out still multiplies",
        "polygamma": "the trigamma function is off by 5e-10 (mpmath.polygamma)",
        "digamma": "its slope, as polygamma",
    },
    "JAX": {
        "i0": "the slope at 0 is 1 (it is 0, mpmath.besseli)",
        "clip": "at a bound the slope is 0.5, a convention",
        "hypot": "its second slope is wrong where |a| = |b|: hypot(a, b)**2 by a, 0 for 2",
        "polygamma": "below 0 the values are not those of mpmath.polygamma",
        "cummax": "ties give the first, a convention",
    },
}
"""By function: the peer is no judge of a program that has it. What is right was found with mpmath."""


def plain(operands: int) -> list[str]:
    """Elementwise entries of so many operands, of which some peer knows each."""
    entries = {entry.name: entry for entry in TABLE.values() if entry.kind == "elementwise" and not entry.hidden}
    counts = {name: sum(p.default is REQUIRED for p in entry.signature.parameters) for name, entry in entries.items()}
    known = TORCH | JAX or entries
    return [name for name, count in counts.items() if count == operands and name in known]


def _found(entry: Primitive, modules: list[ModuleType]) -> Callable[..., Any] | None:
    """The function under one of the entry's names, in the first of the modules that has it."""
    names = (entry.name, *entry.aliases)
    return next((getattr(m, name) for m in modules for name in names if hasattr(m, name)), None)


def _by_names(modules: list[ModuleType]) -> Words:
    entries = {entry.name: entry for entry in TABLE.values() if entry.kind == "elementwise" and not entry.hidden}
    found = {name: _found(entry, modules) for name, entry in entries.items()}
    return {name: f for name, f in found.items() if f is not None}


def _of_tensors(f: Callable[..., Any]) -> Callable[..., Any]:
    """Numbers among the operands become tensors, which PyTorch's functions insist on."""
    return lambda *xs, **kw: f(*(torch.as_tensor(x) if isinstance(x, int | float) else x for x in xs), **kw)


def _by_torch() -> Words:
    t, f, linalg = torch, torch.nn.functional, torch.linalg
    words = {n: _of_tensors(g) for n, g in _by_names([t.special, t, f]).items()}
    words |= {name: partial(_torch_along, getattr(t, name)) for name in ALONG if hasattr(t, name)}
    words |= {name: partial(_torch_running, getattr(t, name)) for name in RUNNING if hasattr(t, name)}
    words |= {name: partial(_loss, getattr(f, name)) for name in LOSSES}
    words |= {name: getattr(t, name) for name in "trace tril triu outer logdet ravel".split()}
    return words | {
        "norm": partial(_torch_along, linalg.vector_norm), "sort": lambda x, axis: t.sort(x, axis).values,
        "cummax": lambda x, axis: t.cummax(x, axis).values, "cummin": lambda x, axis: t.cummin(x, axis).values,
        "flip": lambda x, axis: t.flip(x, (axis,)), "roll": lambda x, n, axis: t.roll(x, n, axis),
        "var": partial(_torch_along, partial(t.var, correction=0)),
        "std": partial(_torch_along, partial(t.std, correction=0)),
        "diff": lambda x, axis: t.diff(x, dim=axis), "where": _of_tensors(t.where),
        "slope_": lambda a, b: t.where(a > b, a, b * 2), "slogdet_": lambda x: linalg.slogdet(x)[1],
        "det": linalg.det, "inv": linalg.inv, "pinv": linalg.pinv, "svdvals": linalg.svdvals,
        "expm": linalg.matrix_exp, "nuclear_norm": lambda x: linalg.matrix_norm(x, "nuc"),
        "concatenate": t.cat, "stack": t.stack, "clip": lambda x, lo, hi: t.clamp(x, lo, hi), "reshape": t.reshape,
        "expand_dims": t.unsqueeze, "swapaxes": t.swapaxes, "repeat": t.repeat_interleave,
        "gelu_tanh": partial(f.gelu, approximate="tanh"), "polygamma": t.polygamma,
        "prelu": lambda x, weight: t.where(x > 0, x, weight * x),  # whose own weight goes along the second axis
    }  # fmt: skip


def _torch_along(g: Callable[..., Any], x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    axes = tuple(range(x.ndim)) if axis is None else axis
    return g(x, dim=axes, keepdim=keepdims)


def _torch_running(g: Callable[..., Any], x: Any, axis: int) -> Any:
    return g(x, axis)


def _loss(g: Callable[..., Any], a: Any, b: Any, reduction: str) -> Any:
    return g(*torch.broadcast_tensors(a, b), reduction=reduction)


def _by_jax() -> Words:
    j, special, nn, linalg = jax.numpy, jax.scipy.special, jax.nn, jax.numpy.linalg
    words = _by_names([special, j, nn, jax.lax])
    names = "repeat roll ravel trace tril triu outer concatenate stack reshape swapaxes where clip expand_dims diff"
    for name in (*ALONG, *RUNNING, *names.split()):
        words |= {name: getattr(j, name)} if hasattr(j, name) else {}
    words |= {name: getattr(linalg, name) for name in "det inv pinv norm".split()}
    return words | {
        "softmax": nn.softmax, "log_softmax": nn.log_softmax, "logsumexp": special.logsumexp,
        "gelu": partial(nn.gelu, approximate=False), "gelu_tanh": nn.gelu, "expm": jax.scipy.linalg.expm,
        "slope_": lambda a, b: j.where(a > b, a, b * 2), "slogdet_": lambda x: linalg.slogdet(x)[1],
        "logcumsumexp": lambda x, axis: jax.lax.cumlogsumexp(x, axis % x.ndim),
        "svdvals": linalg.svdvals, "polygamma": special.polygamma,
        "logdet": lambda x: linalg.slogdet(x)[1], "nuclear_norm": lambda x: linalg.norm(x, "nuc"),
        "cummax": lambda x, axis: jax.lax.cummax(x, axis % x.ndim),
        "cummin": lambda x, axis: jax.lax.cummin(x, axis % x.ndim),
    }  # fmt: skip


TORCH: Words = {} if torch is None else _by_torch()
JAX: Words = {} if jax is None else _by_jax()

PRELUDE = "slope_(a, b) = where(a > b, a, b*2); slogdet_(a) = slogdet(a)[1]"
"""What gradcli has to be told: functions of our own, the same for all."""
