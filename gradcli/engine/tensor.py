"""Tensor: an array, and what is needed to differentiate with respect to it or through it."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.holder import Holder
from gradcli.engine.node import HookHandle, Hooks, Node, Version
from gradcli.errors import BadArgument, BadInput, LimitExceeded, NotDifferentiable, ShapeMismatch
from gradcli.primitives import budget
from gradcli.primitives.table import Primitive
from gradcli.results import Array

_REAL_KINDS = "buif"
MAX_INTEGER = 2**53
BEYOND = "integers beyond 2**53 cannot be told apart as float64"
# What NumPy raises, and what other libraries do when they are asked for an array (one on a device, one with a graph).
_REFUSALS = (AttributeError, BufferError, NotImplementedError, RuntimeError, TypeError, ValueError)


class Tensor(Holder):
    """float64 data (or a mask) with PyTorch's attributes: `requires_grad`, `grad`, `grad_fn`, `is_leaf`.

    Operators and most methods come from the table of primitives (see `functions`), in-place writes from `inplace`.
    """

    __slots__ = (
        "__weakref__",
        "_accumulator",
        "_grad",
        "_leaf_hooks",
        "_leaf_requires",
        "_retains",
        "array",
        "grad_fn",
        "version",
    )

    # NumPy must leave `ndarray * Tensor` to Tensor.__rmul__ instead of making an array of objects.
    __array_ufunc__ = None

    grad_fn: Node | None
    version: Version
    _leaf_requires: bool
    _grad: Tensor | None
    _retains: HookHandle | None
    _accumulator: weakref.ref[AccumulateGrad] | None
    _leaf_hooks: tuple[Hooks | None, Hooks | None] | None

    def __init__(self, data: Any, *, requires_grad: bool = False) -> None:
        """A leaf with a copy of `data`. Complex, text and object data raise BadInput, NotDifferentiable a mask that
        shall require grad."""
        _fill(self, real_array(data))
        self.requires_grad = requires_grad

    # What it is

    @property
    def is_leaf(self) -> bool:
        return self.grad_fn is None

    @property
    def _version(self) -> int:
        return self.version.value

    @property
    def data(self) -> Tensor:
        """A detached tensor on the same storage, without a share in its version counter: use with care."""
        return wrap(self.array)

    @data.setter
    def data(self, value: Any) -> None:
        self.array = real_array(value)

    def numpy(self) -> Array:
        """The array itself. Raises NotDifferentiable for a tensor that requires grad, as PyTorch does."""
        if self.requires_grad:
            raise NotDifferentiable(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        return self.array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    # Differentiation

    @property
    def requires_grad(self) -> bool:
        return self.grad_fn is not None or self._leaf_requires

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if self.grad_fn is not None:
            if not value:
                raise NotDifferentiable(
                    "you can only change requires_grad flags of leaf variables.", help="use detach()"
                )
            return
        if value and self.array.dtype == bool:
            raise NotDifferentiable("only tensors of numbers can require gradients, this one is a mask")
        self._leaf_requires = bool(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """What backward passes have added up; None before the first."""
        if self.grad_fn is not None and self._retains is None and self._grad is None:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf is being accessed; it is only filled after "
                "retain_grad()",
                UserWarning,
                stacklevel=2,
            )
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise BadArgument(f"assigned grad expected to be a Tensor or None but got {type(value).__name__}")
        if value is not None and value.shape != self.shape:
            raise ShapeMismatch(f"assigned grad has shape {value.shape}, the tensor has shape {self.shape}")
        self._grad = value

    @property
    def retains_grad(self) -> bool:
        return self._retains is not None

    def retain_grad(self) -> None:
        """Keep the gradient of a non-leaf as well, after all of its hooks."""
        if not self.requires_grad:
            raise NotDifferentiable("can't retain_grad on Tensor that has requires_grad=False")
        if self._retains is None:
            self.retain_from(self.grad_fn)

    def retain_from(self, node: Node | None) -> None:
        """Have `node` hand its finished cotangent to this tensor, as long as that lives, and no other node any more."""
        if self._retains is not None:
            self._retains.remove()
        tensor = weakref.ref(self)

        def keep(gradient: Tensor) -> None:
            alive = tensor()
            if alive is not None:
                before = alive._grad
                alive._grad = wrap(np.array(gradient.array if before is None else before.array + gradient.array))

        self._retains = None if node is None else node.add_retain_hook(keep)

    def register_hook(self, hook: Callable[[Tensor], Any]) -> HookHandle:
        """`hook(gradient)` whenever this tensor's gradient is computed; what it returns takes its place."""
        if not self.requires_grad:
            raise NotDifferentiable("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            return self.grad_fn.add_gradient_hook(hook)
        node = accumulator(self)
        handle = node.add_gradient_hook(hook)
        self._leaf_hooks = (node.gradient_hooks, node.post_hooks)
        return handle

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], Any]) -> HookHandle:
        """`hook(leaf)` after a backward pass has added to the leaf's `grad`."""
        if self.grad_fn is not None or not self._leaf_requires:
            raise NotDifferentiable("post accumulate grad hooks cannot be registered on non-leaf tensors")
        node = accumulator(self)
        handle = node.register_hook(hook)
        self._leaf_hooks = (node.gradient_hooks, node.post_hooks)
        return handle

    def detach(self) -> Tensor:
        """The same storage, and the same version counter, outside of the graph."""
        result = wrap(self.array)
        result.version = self.version
        return result

    # As a Python object

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if self.grad_fn is not None:
            raise NotDifferentiable("Only Tensors created explicitly by the user support the deepcopy protocol")
        result = Tensor(self.array, requires_grad=self._leaf_requires)
        memo[id(self)] = result
        result._grad = deepcopy(self._grad, memo)
        return result

    def __copy__(self) -> Tensor:
        """A leaf on the same storage, with the same version counter."""
        return self.detach().requires_grad_(self.requires_grad)

    def __reduce__(self) -> tuple[Any, ...]:
        """What is unpickled is a leaf, as in PyTorch: a graph stays in its process, and so do `grad` and hooks."""
        return _unpickled, (self.array, self.requires_grad)

    if TYPE_CHECKING:
        # Attached by `functions`, from the table.
        def backward(self, *args: Any, **keywords: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...


def _fill(tensor: Tensor, array: Array) -> None:
    tensor.array = array
    tensor.grad_fn = None
    tensor.version = Version()
    tensor._leaf_requires = False
    tensor._grad = None
    tensor._retains = None
    tensor._accumulator = None
    tensor._leaf_hooks = None


def wrap(array: Array) -> Tensor:
    """A tensor on `array` itself, without a copy: float64 or bool, an ndarray."""
    tensor = Tensor.__new__(Tensor)
    _fill(tensor, array)
    return tensor


def _unpickled(array: Array, requires_grad: bool) -> Tensor:
    return Tensor(array, requires_grad=requires_grad)


def as_tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else wrap(real_array(value, copy=False))


def real_array(data: Any, copy: bool = True) -> Array:
    """`data` as float64, or bool if it is that: numbers, nested lists, arrays of any library that NumPy reads.

    Raises BadInput for complex, text, object and ragged data, and for integers that float64 does not hold.
    """
    if isinstance(data, Tensor):
        data = data.array
    elif isinstance(data, list | tuple):
        data = _plain(data, {}, 1)
        _require_room(data)
    array = _read(data)
    if array.dtype.kind not in _REAL_KINDS:
        whole = isinstance(data, int)
        kind = array.dtype if array.dtype != object or array.ndim or whole else type(data).__name__
        raise BadInput(BEYOND if whole else f"only real numbers can be used, not data of type {kind}")
    if array.dtype == bool:
        return np.array(array) if copy else array
    if array.dtype.kind in "iu" and np.any((array > MAX_INTEGER) | (array < -MAX_INTEGER)):
        raise BadInput(BEYOND, help="write it as a float if that is fine")
    return np.array(array, dtype=np.float64) if copy else np.asarray(array, dtype=np.float64)


def _read(data: Any) -> Array:
    """What NumPy makes of `data`. Raises BadInput where it refuses, or the object itself does."""
    try:
        array = np.asarray(data)
    except _REFUSALS as error:
        if isinstance(data, list | tuple) and isinstance(error, ValueError):
            raise BadInput("the rows of an array must have equal lengths") from None
        raise BadInput(f"{type(data).__name__} cannot be read as an array: {error}") from None
    if isinstance(data, np.ndarray) and np.any(getattr(data, "mask", False)):
        raise BadInput("masked elements have no value", help="filled(nan) puts nan in their place")
    return array


def _require_room(items: Any) -> None:
    """Refuse lists within lists that stand for more numbers than fit: one list may stand at many places."""
    shape = []
    while isinstance(items, list | tuple) and items:
        shape.append(len(items))
        items = items[0]
    budget.require("a list", tuple(shape))


def _plain(items: Any, known: dict[int, Any], depth: int) -> Any:
    """Nested lists with tensors in them, as nested lists of arrays; `known` holds the lists that were met, each is
    walked once. Raises BadInput for lists that hold themselves, LimitExceeded for those that are too deep or large."""
    if not any(issubclass(kind, list | tuple | Tensor) for kind in set(map(type, items))):
        return items
    place = id(items)
    if place not in known:
        if depth > budget.MAX_RANK:
            raise LimitExceeded(f"lists are nested more than {budget.MAX_RANK} deep", help="an array has no more axes")
        known[place] = None
        known[place] = [
            _plain(x, known, depth + 1) if isinstance(x, list | tuple) else x.array if isinstance(x, Tensor) else x
            for x in items
        ]
    if known[place] is None:
        raise BadInput("a list that holds itself is no array")
    return known[place]


class AccumulateGrad(Node):
    """The end of a path: adds what arrives to the `grad` of the leaf `variable`."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:
        super().__init__(_LEAF, {}, ())
        self.variable = variable
        self.shape = self.core_shape = variable.shape
        self.sequence = 0


_LEAF = Primitive(name="leaf", kind="constant", text="", forward=lambda: None)


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The one AccumulateGrad node of a leaf. The leaf knows it weakly: the graph keeps it alive, and it the leaf.

    The hooks of a leaf outlive its node.
    """
    known = leaf._accumulator() if leaf._accumulator is not None else None
    if known is None:
        known = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(known)
        if leaf._leaf_hooks is not None:
            known.gradient_hooks, known.post_hooks = leaf._leaf_hooks
    return known
