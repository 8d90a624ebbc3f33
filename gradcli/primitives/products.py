"""Products of vectors and matrices: Kronecker, cross, and every contraction that indices can name.

An einsum is linear in each of its operands, and its transpose in one of them is an einsum again: the cotangent, with
the indices of the result, takes the place of the operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.errors import BadArgument, ShapeMismatch
from gradcli.primitives import layouts
from gradcli.primitives.budget import require, shape_text
from gradcli.primitives.signature import integer, integers
from gradcli.primitives.table import Layout, bilinear, general

GROUP = "linear algebra"


def _interleaved(name: str, operands: Sequence[Any]) -> Layout:
    """Each axis of a and the same axis of b side by side: a Kronecker product is then elementwise."""
    rank = max(x.ndim for x in operands)
    a, b = (layouts.padded(x.shape, rank) for x in operands)
    left = tuple(n for size in a for n in (size, 1))
    right = tuple(n for size in b for n in (1, size))
    return Layout(tuple(m * n for m, n in zip(a, b, strict=True)), {}, (left, right))


bilinear("kron", "a, b", np.multiply,
         lambda xp, g, _out, _a, b: g * b,
         lambda xp, g, _out, a, _b: g * a,
         prepare=_interleaved, group=GROUP, summary="Kronecker product: b in each place of a, times what is there.",
         example="kron([[1, 2]], [[1], [1]])", derivative="sums of g times the other")  # fmt: skip


def _in_space(name: str, operands: Sequence[Any]) -> Layout:
    for x in operands:
        if x.ndim == 0 or x.shape[-1] != 3:
            raise ShapeMismatch(f"{name}: the last axis holds 3 coordinates, the shape is {shape_text(x.shape)}")
    return layouts.broadcasting(name, operands)


def _cross(a: Any, b: Any) -> Any:
    return np.cross(a, b)


bilinear("cross", "a, b", _cross,
         lambda xp, g, _out, _a, b: xp.cross(b, g),
         lambda xp, g, _out, a, _b: xp.cross(g, a),
         prepare=_in_space, group=GROUP, summary="Cross product of vectors in space, along the last axis.",
         example="cross([1, 0, 0], [0, 1, 0])", derivative="d/da = cross(b, g); d/db = cross(g, a)")  # fmt: skip


def _flattened(name: str, operands: Sequence[Any]) -> Layout:
    a, b = operands
    if a.size != b.size:
        raise ShapeMismatch(f"{name}: {a.size} elements and {b.size}")
    return Layout((), {}, ((1, a.size), (1, b.size)))


bilinear("vdot", "a, b", lambda a, b: np.sum(a * b, axis=-1, keepdims=True),
         lambda xp, g, _out, _a, b: g * b,
         lambda xp, g, _out, a, _b: g * a,
         prepare=_flattened, group=GROUP, summary="Sum of the products of all elements.",
         example="vdot([[1, 2]], [[3], [4]])", derivative="d/da = g * b; d/db = g * a")  # fmt: skip


# Contractions: `inputs` and `output` name the axes of each core by letters.

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _summed(x: Any, letters: str, others: str) -> tuple[Any, str]:
    """An operand without the letters that it alone has: summed beforehand they cost no loop over all the others."""
    alone = [c for c in letters if letters.count(c) == 1 and c not in others]
    axes = tuple(letters.index(c) - len(letters) for c in alone)
    return (np.sum(x, axis=axes), "".join(c for c in letters if c not in alone)) if axes else (x, letters)


def _contract(*given: Any, inputs: tuple[str, ...], output: str, sizes: Any) -> Any:
    others = [output + "".join(inputs[:i] + inputs[i + 1 :]) for i in range(len(inputs))]
    operands, inputs = zip(*map(_summed, given, inputs, others), strict=True)
    if all(x.ndim == len(letters) for x, letters in zip(operands, inputs, strict=True)):
        return np.array(np.einsum(",".join(inputs) + "->" + output, *operands, optimize=True), order="C")
    stacked = ",".join("..." + letters for letters in inputs)
    return np.array(np.einsum(f"{stacked}->...{output}", *operands, optimize=len(operands) > 2), order="C")


# All operands but a rule's own are read: a product is linear in each.


def _pulled(xp: Any, g: Any, _out: Any, *operands: Any, position: int, inputs: Any, output: str, sizes: Any) -> Any:
    """What one operand gets. A letter that no one else has is spread by ones; one that it has twice, by a diagonal."""
    own = inputs[position]
    others = [letters for i, letters in enumerate(inputs) if i != position]
    unused = iter(c for c in _LETTERS if c not in "".join(inputs) + output)
    target, extra, sizes = "", [], dict(sizes)
    for letter in own:
        if letter in target:
            twin = next(unused)
            sizes[twin] = sizes[letter]
            extra.append((xp.eye(shape=(sizes[letter],) * 2), letter + twin))
            letter = twin
        target += letter
    seen = output + "".join(others) + "".join(letters for _, letters in extra)
    extra += [(np.ones(sizes[c]), c) for c in target if c not in seen]
    arguments = [*operands[:position], g, *operands[position + 1 :], *(array for array, _ in extra)]
    named = [*inputs[:position], output, *inputs[position + 1 :], *(letters for _, letters in extra)]
    return xp.einsum(*arguments, inputs=tuple(named), output=target, sizes=sizes)


def _pushed(xp: Any, t: Any, _out: Any, *operands: Any, position: int, **contraction: Any) -> Any:
    return xp.einsum(*operands[:position], t, *operands[position + 1 :], **contraction)


def _plan(name: str, operands: Sequence[Any], inputs: Sequence[str], output: str) -> Layout:
    """Sizes of the letters; an axis of size 1 that stands for a longer one is left out of its core."""
    sizes: dict[str, int] = {}
    for x, letters in zip(operands, inputs, strict=True):
        for letter, size in zip(letters, x.shape, strict=True):
            known = sizes.get(letter, 1)
            if size not in (1, known) and known != 1:
                raise ShapeMismatch(f"{name}: index {letter} has size {known} in one operand and {size} in another")
            sizes[letter] = known if size == 1 else size
    kept = [
        [(c, n) for c, n in zip(letters, x.shape, strict=True) if n == sizes[c]]
        for x, letters in zip(operands, inputs, strict=True)
    ]
    shape = tuple(sizes[c] for c in output)
    require(name, shape)
    params = {"inputs": tuple("".join(c for c, _ in axes) for axes in kept), "output": output, "sizes": sizes}
    return Layout(shape, params, tuple(tuple(n for _, n in axes) for axes in kept))


def _named(name: str, operands: Sequence[Any], subscripts: Any) -> Layout:
    """NumPy's notation: `ij,jk->ik`; without an arrow the letters that stand once, in the order of the alphabet."""
    text = subscripts.replace(" ", "") if isinstance(subscripts, str) else ""
    left, arrow, output = text.partition("->")
    terms = left.split(",")
    if not text or set(left + output) - set(_LETTERS + ",.") or "," in output:
        raise BadArgument(f'{name}: its first argument is a text such as "ij,jk->ik", not {subscripts!r}')
    if len(terms) != len(operands):
        raise BadArgument(f"{name}: {subscripts!r} names {len(terms)} operands, {len(operands)} given")
    dots = "".join(c for c in reversed(_LETTERS) if c not in text)
    terms = [_spelled(name, term, x, dots) for term, x in zip(terms, operands, strict=True)]
    widest = max((len(set(term) & set(dots)) for term in terms), default=0)
    stack = dots[:widest][::-1]
    every = "".join(terms)
    if arrow:
        output = output.replace("...", stack)
    else:
        output = stack + "".join(sorted(c for c in set(every) - set(dots) if every.count(c) == 1))
    if "." in output or len(set(output)) != len(output) or set(output) - set(every):
        raise BadArgument(f"{name}: the result of {subscripts!r} names an index twice, or one that no operand has")
    return _plan(name, operands, terms, output)


def _spelled(name: str, term: str, x: Any, dots: str) -> str:
    """A term with its `...` as letters of their own, the last axis first so that they align at the right."""
    plain = term.replace("...", "", 1)
    missing = x.ndim - len(plain)
    if "." in plain or missing < 0 or (missing and "..." not in term):
        raise ShapeMismatch(f"{name}: {term!r} does not name the {x.ndim} axes of an array of shape "
                            f"{shape_text(x.shape)}")  # fmt: skip
    return term.replace("...", dots[:missing][::-1])


general("einsum", "subscripts: string, *operands", _contract, _pulled, _pushed, variadic=True, multilinear=True,
        prepare=_named, group=GROUP,
        summary='Sum of products over named indices, as in numpy.einsum: einsum("ij,jk->ik", a, b).',
        example='einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1])',
        derivative="an einsum of g and the other operands")  # fmt: skip


def _paired(name: str, operands: Sequence[Any], axes: Any) -> Layout:
    """`axes` is how many axes to sum (the last of a, the first of b), or which ones of each."""
    a, b = operands
    first, second = _axes(name, axes, a.ndim)
    if len(first) != len(second):
        raise BadArgument(f"{name}: {len(first)} axes of the one and {len(second)} of the other cannot be paired")
    left, right = list(_LETTERS[: a.ndim]), list(_LETTERS[a.ndim : a.ndim + b.ndim])
    for i, j in zip(first, second, strict=True):
        at, to = (layouts.negative_axis(name, k, x.ndim) for k, x in ((i, a), (j, b)))
        if a.shape[at] != b.shape[to]:
            raise ShapeMismatch(f"{name}: axes of sizes {a.shape[at]} and {b.shape[to]} cannot be summed together")
        right[to] = left[at]
    output = [c for c in left if c not in right] + [c for c in right if c not in left]
    return _plan(name, operands, ["".join(left), "".join(right)], "".join(output))


def _axes(name: str, axes: Any, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, tuple | list) and len(axes) == 2:
        return integers(axes[0], f"{name}: axes"), integers(axes[1], f"{name}: axes")
    count = integer(axes, f"{name}: axes")
    if not 0 <= count <= rank:
        raise BadArgument(f"{name}: {count} axes cannot be summed of {rank}")
    return tuple(range(rank - count, rank)), tuple(range(count))


general("tensordot", "a, b, axes: any = 2", _contract,
        (lambda xp, g, _out, _a, b, **contraction: _pulled(xp, g, None, None, b, position=0, **contraction),
         lambda xp, g, _out, a, _b, **contraction: _pulled(xp, g, None, a, None, position=1, **contraction)),
        (lambda xp, t, _out, _a, b, **contraction: _pushed(xp, t, None, None, b, position=0, **contraction),
         lambda xp, t, _out, a, _b, **contraction: _pushed(xp, t, None, a, None, position=1, **contraction)),
        multilinear=True, prepare=_paired, group=GROUP,
        summary="Sum of products over the last axes of a and the first of b, or over the pairs of axes named.",
        example="tensordot([[1, 2], [3, 4]], [1, 1], 1)",
        derivative="an einsum of g and the other operand")  # fmt: skip


def _chain(name: str, operands: Sequence[Any]) -> Layout:
    """A vector may stand at either end."""
    if not 2 <= len(operands) < len(_LETTERS):
        raise BadArgument(f"{name}: it takes a list of 2 to {len(_LETTERS) - 1} matrices, not {len(operands)}")
    names, at = [], 0
    for i, x in enumerate(operands):
        if x.ndim != 2 and not (x.ndim == 1 and i in (0, len(operands) - 1)):
            raise ShapeMismatch(f"{name}: it takes matrices, and vectors at the ends, not {shape_text(x.shape)}")
        names.append(_LETTERS[at : at + x.ndim])
        at += x.ndim - 1
    ends = names[0][: operands[0].ndim - 1] + names[-1][1:]
    return _plan(name, operands, names, ends)


general("multi_dot", "arrays: sequence", _contract, _pulled, _pushed, variadic=True, multilinear=True,
        prepare=_chain, group=GROUP,
        summary="Product of two or more matrices, in the order that costs least.",
        example="multi_dot([[[1, 2]], [[1], [1]], [[3]]])",
        derivative="an einsum of g and the other operands")  # fmt: skip
