"""Nodes of the autograd graph: what an operation must remember to send derivatives through it, either way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from weakref import WeakSet

from gradcli.engine.state import state
from gradcli.errors import BadArgument, GraphFreed, InplaceWrite
from gradcli.primitives.table import Primitive, Shape
from gradcli.results import Array
from gradcli.span import Span

Hook = Callable[..., Any]
Hooks = dict["HookHandle", Hook]
"""Hooks in the order of their registration. One hook may be there twice, under two handles."""


class Version:
    """How often a piece of storage has been written to, and the text of the last write. `borrowers` saved the storage
    and allow writes to it: they get a copy before."""

    __slots__ = ("borrowers", "value", "writer")

    def __init__(self) -> None:
        self.value = 0
        self.writer: Span | None = None
        self.borrowers: WeakSet[Node] | None = None

    def lend(self, node: Node) -> None:
        if self.borrowers is None:
            self.borrowers = WeakSet()
        self.borrowers.add(node)

    def begin_write(self) -> None:
        """To be called while the storage is still as it was."""
        borrowers, self.borrowers = self.borrowers, None
        for node in borrowers or ():
            node.set_aside(self)
        self.value += 1
        self.writer = state.span


class HookHandle:
    """What registering a hook returns: `remove()` takes the hook off again."""

    def __init__(self, hooks: Hooks, hook: Hook) -> None:
        """Raises BadArgument for a hook that cannot be called."""
        if not callable(hook):
            raise BadArgument(f"a hook is a function, {type(hook).__name__} cannot be called")
        self._hooks = hooks
        hooks[self] = hook

    def remove(self) -> None:
        self._hooks.pop(self, None)


Seen = tuple[Version, int]
"""A storage's version, and its value when the storage was saved."""


class Node:
    """One recorded operation. `edges[i]` is the node that made operand i, None for a constant.

    `shapes` and `shape` are those of the operands and the result as tensors, `core_shapes` and `core_shape` those
    that the rules see; each is a reshape of the other. `saved` and `out` hold only what the rules will read, as arrays,
    never as tensors, so that tensors and nodes form no cycle; `versions` and `out_version` say in which state their
    storage was then.
    """

    __slots__ = (
        "__weakref__",
        "core_shape",
        "core_shapes",
        "edges",
        "freed",
        "gradient_hooks",
        "out",
        "out_version",
        "params",
        "post_hooks",
        "pre_hooks",
        "primitive",
        "retain_hooks",
        "saved",
        "sequence",
        "shape",
        "shapes",
        "span",
        "versions",
    )

    edges: tuple[Node | None, ...]
    saved: tuple[Array | None, ...]

    def __init__(self, primitive: Primitive, params: Mapping[str, Any], edges: tuple[Node | None, ...]) -> None:
        self.primitive = primitive
        self.params = params
        self.edges = edges
        self.saved = (None,) * len(edges)
        self.out: Array | None = None
        self.versions: tuple[Seen | None, ...] = ()
        self.out_version: Seen | None = None
        self.shapes: tuple[Shape, ...] = ()
        self.core_shapes: tuple[Shape, ...] = ()
        self.shape: Shape = ()
        self.core_shape: Shape = ()
        self.sequence = state.tick()
        self.span = state.span
        self.freed = False
        # Hooks only where somebody registered a hook: most nodes never see one.
        self.gradient_hooks: Hooks | None = None
        self.pre_hooks: Hooks | None = None
        self.post_hooks: Hooks | None = None
        self.retain_hooks: Hooks | None = None

    def name(self) -> str:
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return tuple((edge, 0) for edge in self.edges)

    def __repr__(self) -> str:
        return f"<{self.name()}>"

    @property
    def hooked(self) -> bool:
        return bool(self.gradient_hooks or self.pre_hooks or self.post_hooks or self.retain_hooks)

    def register_hook(self, hook: Hook) -> HookHandle:
        """`hook(grad_inputs, grad_outputs)` after this node ran; a tuple it returns replaces grad_inputs."""
        return self._add("post_hooks", hook)

    def register_prehook(self, hook: Hook) -> HookHandle:
        """`hook(grad_outputs)` before this node runs; a tuple it returns replaces grad_outputs."""
        return self._add("pre_hooks", hook)

    def add_gradient_hook(self, hook: Hook) -> HookHandle:
        """`hook(gradient)` on the cotangent of this node's result, before the node runs."""
        return self._add("gradient_hooks", hook)

    def add_retain_hook(self, hook: Hook) -> HookHandle:
        """`hook(gradient)` on that cotangent after all gradient hooks; it only looks."""
        return self._add("retain_hooks", hook)

    def _add(self, kind: str, hook: Hook) -> HookHandle:
        hooks: Hooks = getattr(self, kind)
        if hooks is None:
            hooks = {}
        handle = HookHandle(hooks, hook)
        setattr(self, kind, hooks)
        return handle

    def require_saved(self) -> None:
        """Raise GraphFreed if the saved values are gone, InplaceWrite if they were overwritten since."""
        if self.freed:
            raise GraphFreed(
                "Trying to backward through the graph a second time: the values that "
                f"{self.name()} saved have been freed. Specify retain_graph=True in the first call",
                span=self.span,
            )
        lent = () if self.primitive.by_result else self.versions
        for version, seen in filter(None, (*lent, self.out_version)):
            if version.value != seen:
                raise InplaceWrite(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"a value that {self.name()} saved is at version {version.value}; expected version {seen} instead",
                    span=version.writer,
                    label="overwritten here",
                    help="write into a copy (y = 1*x), or before the value is used",
                    related=((self.span, "saved here for its derivative"),) if self.span else (),
                )

    def free(self) -> None:
        """Let go of the saved values; a node that saved nothing can run again."""
        if self.out is not None or any(array is not None for array in self.saved):
            self.freed = True
        self.saved = (None,) * len(self.edges)
        self.out = self.out_version = None
        self.versions = ()

    def set_aside(self, version: Version) -> None:
        """Keep a copy of what was saved of one storage, before that is written to."""
        saved, versions = list(self.saved), list(self.versions)
        for i, (array, seen) in enumerate(zip(saved, versions, strict=False)):  # a freed node has none
            if array is not None and seen is not None and seen[0] is version:
                saved[i], versions[i] = array.copy(), (Version(), 0)
        self.saved, self.versions = tuple(saved), tuple(versions)


@cache
def node_class(name: str) -> type[Node]:
    """The class of nodes called `name`: PyTorch tells an operation by the type of its node."""
    return type(name, (Node,), {"__slots__": ()})
