"""The table of primitives: one entry for each function, and the contract that its rules keep.

Four constructors fill the table. The kind says what the author writes and what is derived from it:

    elementwise   one partial derivative per argument  -> vjp, jvp
    linear        the adjoint per argument              -> jvp is the forward itself
    bilinear      the two adjoints                      -> jvp is the forward with one argument replaced
    general       vjp and jvp

`reduction` is `general` for functions of a whole axis that are told by their weights d out/d x, and `constant`
makes entries without a derivative (comparisons, constructors). What a rule may rely on:

1. Arguments come in this order: `xp`, the cotangent `g` or tangent `t` (none for a partial), `out`, the operands,
   then keyword-only parameters. In scope are operators and `xp.<primitive>`, nothing else: with `xp` the NumPy
   functions a rule runs on arrays, with `xp` the recording functions it builds a graph, for higher derivatives.
2. Rules and forwards see the *core* of a call (see `layouts`): operands padded to equal rank, vectors of a matrix
   product as matrices, reduced axes kept with size 1. Core arrays are trailing axes; whatever stands in front is a
   stack of cotangents, tangents or points. Axes are therefore counted from the end.
3. A result may have any shape that broadcasts with the operand's: the engine sums it down or spreads it out.
4. An argument whose name begins with `_` is not read, and so not saved for the backward pass. A rule of a variadic
   entry may take `*operands`: it reads all of them but its own, number `position`, which may be None, and those that
   it names before.
5. No Python `if` on values: `xp.where`. A lane that is not selected contributes exactly 0.
6. A partial, adjoint or vjp may be one of the numbers 1, -1, 0 instead of a function (0: constant almost everywhere).

7. A rule is linear in its flow, and never joins a flow and data in one array. What it makes itself (`xp.eye`) keeps its
   zeros as structural ones; those of operands are numbers.

`selects` says that a partial (a weight) of 0 means: not chosen. Where a partial also passes through 0 on its way, it is
a function of the operands that tells the chosen ones; a tuple says it for each operand. All else about live lanes the
engine finds by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from inspect import CO_VARARGS
from typing import Any, Literal, NamedTuple

from gradcli.primitives.signature import Signature, parse_signature

Rule = Callable[..., Any]
Pull = Rule | int
Selects = bool | Rule
Kind = Literal["elementwise", "linear", "bilinear", "general", "constant"]
Shape = tuple[int, ...]


class Layout(NamedTuple):
    """How one call meets its rules.

    `shapes` are the core shapes of the operands (None: as they are), each a pure reshape of what was given; `out` is
    the shape in which the caller gets the result, a pure reshape of the core result (None: as it is); `params` are
    normalised: axes negative, shapes trailing.
    """

    out: Shape | None
    params: Mapping[str, Any] = {}
    shapes: tuple[Shape, ...] | None = None
    parts: tuple[Shape, ...] | None = None


Prepare = Callable[..., Layout]


class Several(tuple[Any, ...]):
    """The results of a call that has several. As an index each is one for itself: `x[tril_indices(3)]`."""

    __slots__ = ()


@dataclass(eq=False, repr=False)
class Kink:
    """Points where the derivative is a convention: `where(*operands, **params)` marks them, `reason` says why.

    A tie matters only to those who tell the tied results apart. `ties(*operands, **params)` numbers the elements of the
    core result: where all that have one number get the same cotangent, the whole is smooth, and no convention is used.
    Numbers below 0 are of results that are tied with what is no result, whose cotangent is 0. `order` is that of the
    first derivative that is one: 2 where the slope is continuous, but its own slope jumps.
    """

    where: Callable[..., Any]
    reason: str
    ties: Callable[..., Any] | None = None
    order: int = 1


@dataclass(eq=False, kw_only=True, repr=False)
class Primitive:
    """One entry. `rules` holds a vjp per operand (for `elementwise` the partials); a variadic entry has one rule for
    all of its operands, which gets the operand's number as `position`. `domain`: bounds from which tests draw each
    operand; `kinks`: where its derivative is a convention; `edge`: that convention in words; `derivative`: the rule,
    where it is not elementwise; `by_result`: the result would do for the derivative, and does in PyTorch, so that the
    operand may be written to before the backward pass; `discrete`: what it tells has no derivative: programs get 0
    and a note, in Python its results do not require grad; `node`: the name of its graph node without `Backward0`;
    `multilinear`: linear in each operand; `spread`: a `prepare` of its own broadcasts too; `by_values`: its `prepare`
    reads values, all others shapes and kinds alone, so that one layout serves every run on the same shapes;
    `symmetric`: a function of symmetric parts, which refuses a matrix that is none; `terms`: of a long series; `about`:
    the argument that PyTorch's method is called on, of functions whose first one is not called x or a.
    """

    name: str
    kind: Kind
    text: str
    forward: Rule
    rules: tuple[Pull, ...] = ()
    pushes: tuple[Rule, ...] = ()
    prepare: Prepare | None = None
    one_hot: Rule | None = None
    selects: Selects | tuple[Selects, ...] = False
    about: int | None = None
    masks: bool = False
    by_result: bool = False
    discrete: bool = False
    multilinear: bool = False
    variadic: bool = False
    shape_only: bool = False
    draws: bool = False
    spread: bool = False
    by_values: bool = False
    symmetric: bool = False
    terms: int = 0
    hidden: bool = False
    operator: str = ""
    aliases: tuple[str, ...] = ()
    node: str = ""
    group: str = ""
    summary: str = ""
    example: str = ""
    edge: str = ""
    derivative: str = ""
    misuse: str = ""
    domain: tuple[tuple[float, float], ...] = ((-2.0, 2.0),)
    kinks: tuple[Kink, ...] = ()

    @cached_property
    def signature(self) -> Signature:
        return parse_signature(self.name, self.text)

    @cached_property
    def node_name(self) -> str:
        stem = self.node or "".join(part.capitalize() for part in self.name.split("_"))
        return stem if self.node == "CopySlices" else f"{stem}Backward0"

    def rule(self, position: int) -> Pull:
        return self.rules[0 if self.variadic else position]

    def choice(self, position: int) -> Selects:
        return self.selects[position] if isinstance(self.selects, tuple) else self.selects

    @cached_property
    def _needs(self) -> tuple[Reads, ...]:
        flows = 1 if self.kind == "elementwise" else 2
        backward = [_reads(rule, flows) for rule in self.rules]
        if self.kind == "general":
            forward = [_reads(rule, flows) for rule in self.pushes]
            return tuple(
                Reads(a.out or b.out, a.operands | b.operands, a.others or b.others)
                for a, b in zip(backward, forward, strict=True)
            )
        return tuple(backward)

    def needs(self, position: int, count: int) -> tuple[bool, frozenset[int]]:
        """Whether the rule of one of `count` operands reads `out`, and which operands it reads."""
        found = self._needs[0 if self.variadic else position]
        others = frozenset(range(count)) - {position} if found.others else frozenset()
        return found.out, found.operands | others


class Reads(NamedTuple):
    """What a rule reads: the result, operands by number, and (by `*operands`) all but its own."""

    out: bool
    operands: frozenset[int]
    others: bool


def _reads(rule: Pull, flows: int) -> Reads:
    """By the names of its arguments: those that begin with `_` it does not read."""
    if isinstance(rule, int):
        return Reads(False, frozenset(), False)
    names = rule.__code__.co_varnames[flows : rule.__code__.co_argcount]
    out, *operands = [not name.startswith("_") for name in names] or [False]
    return Reads(
        out, frozenset(i for i, read in enumerate(operands) if read), bool(rule.__code__.co_flags & CO_VARARGS)
    )


class Table(Mapping[str, Primitive]):
    """Entries by each of their names.

    The modules that hold the rarer ones are imported when a name is not found among the common ones, or when all are
    listed: they would be half of the start-up time that the package itself takes.
    """

    def __init__(self) -> None:
        self._entries: dict[str, Primitive] = {}
        self.rarer: tuple[str, ...] = ()
        self.operators: dict[str, Primitive] = {}

    def add(self, name: str, entry: Primitive) -> None:
        if name in self._entries:
            raise ValueError(f"{name} is in the table twice")
        self._entries[name] = entry

    def complete(self) -> None:
        for module in self.rarer:
            import_module(module)
        self.rarer = ()  # only now: another thread that misses a name waits for the import, too

    def __getitem__(self, name: str) -> Primitive:
        if name not in self._entries:
            self.complete()
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        self.complete()
        return iter(self._entries)

    def __len__(self) -> int:
        self.complete()
        return len(self._entries)


TABLE = Table()
"""Every entry by each of its names."""


def register(entry: Primitive) -> Primitive:
    for name in (entry.name, *entry.aliases):
        TABLE.add(name, entry)
    if entry.operator:
        TABLE.operators[entry.operator] = entry
    return entry


def elementwise(name: str, text: str, forward: Rule, *partials: Pull, **facts: Any) -> Primitive:
    """An entry that acts on each element alone; one partial derivative per operand."""
    return register(Primitive(name=name, text=text, kind="elementwise", forward=forward, rules=partials, **facts))


def linear(name: str, text: str, forward: Rule, *adjoints: Pull, **facts: Any) -> Primitive:
    """An entry linear in all of its operands together; one adjoint per operand."""
    return register(Primitive(name=name, text=text, kind="linear", forward=forward, rules=adjoints, **facts))


def bilinear(name: str, text: str, forward: Rule, *adjoints: Rule, **facts: Any) -> Primitive:
    """An entry linear in each of its two operands; their two adjoints."""
    return register(
        Primitive(name=name, text=text, kind="bilinear", forward=forward, rules=adjoints, multilinear=True, **facts)
    )


def general(
    name: str, text: str, forward: Rule, vjp: Pull | tuple[Pull, ...], jvp: Rule | tuple[Rule, ...], **facts: Any
) -> Primitive:
    """An entry with a vjp and a jvp per operand."""
    rules = vjp if isinstance(vjp, tuple) else (vjp,)
    pushes = jvp if isinstance(jvp, tuple) else (jvp,)
    return register(
        Primitive(name=name, text=text, kind="general", forward=forward, rules=rules, pushes=pushes, **facts)
    )


def chosen(xp: Any, selects: Selects, flow: Any, partial: Any, *given: Any, **params: Any) -> Any:
    """`flow * partial`, and a structural 0 where the entry does not choose what the flow is of."""
    if callable(selects):
        selects = selects(xp, *given, **params)
    if isinstance(selects, bool):
        return xp.chosen(flow, partial) if selects else flow * partial
    return xp.where(selects, flow * partial, 0.0)


def reduction(
    name: str,
    text: str,
    forward: Rule,
    weight: Rule,
    *,
    selects: Selects = False,
    direction: Rule | None = None,
    **facts: Any,
) -> Primitive:
    """A function of one or more axes, told by `weight(xp, out, x, *, axis, ...)` = d out/d x of the same shape as x.

    Where the entry selects, a weight of exactly 0 drops its lane in the forward direction as well; or a function
    `selects(xp, out, x, *, axis, ...)` tells the lanes that count. A length also has a `direction(xp, x, *, axis,
    ...)`, with weight = direction/out: so that `along` finds what is smooth at length 0.
    """

    def vjp(xp: Any, g: Any, out: Any, x: Any, **params: Any) -> Any:
        w = weight(xp, out, x, **params)
        way = None if direction is None else direction(xp, x, **params)
        return chosen(xp, selects, g, w, out, x, **params) if way is None else xp.along(g, out, way, w)

    def jvp(xp: Any, t: Any, out: Any, x: Any, **params: Any) -> Any:
        w = weight(xp, out, x, **params)
        return xp.sum(chosen(xp, selects, t, w, out, x, **params), axis=params["axis"])

    return general(name, text, forward, vjp, jvp, selects=selects, **facts)


def constant(name: str, text: str, forward: Rule, **facts: Any) -> Primitive:
    """An entry without a derivative: comparisons, logic, constructors, shapes."""
    return register(Primitive(name=name, text=text, kind="constant", forward=forward, **facts))


class Arrays:
    """`xp` on plain arrays: every entry's forward under its own name, on core operands and parameters.

    `records` tells a namespace on tensors, whose rules read tensors, from one on arrays.
    """

    records = False

    @staticmethod
    def along(g: Any, out: Any, direction: Any, weight: Any) -> Any:
        """`g * weight`, the cotangent of a length: only a recorded one must look closer where the length is 0."""
        return g * weight

    @staticmethod
    def chosen(flow: Any, weight: Any) -> Any:
        """`flow * weight`, where a weight of 0 means not chosen: what is recorded must not multiply by it."""
        return flow * weight

    def __getattr__(self, name: str) -> Rule:
        try:
            forward = TABLE[name].forward
        except KeyError:
            raise AttributeError(name) from None
        setattr(self, name, forward)
        return forward


arrays = Arrays()
