"""What is done to code: operators turned round, statements left out, arguments swapped, numbers off by one, no copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from tests.robustness.mutants.mutant import ROOT, Mutant
from tests.robustness.mutants.sources import Source, Spot, spots

Change = tuple[str, ast.AST]

RELATIONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPPOSITE: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
ORDERED = ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow | ast.MatMult
UNORDERED = {"max", "min", "maximum", "minimum", "isinstance", "getattr", "setattr", "hasattr", "broadcast_shapes"}
"""Calls whose arguments have no order, or fail at once in another."""
COPIES = {"list", "dict", "tuple", "set"}
MADE_ON_THE_SPOT = ast.List | ast.ListComp | ast.Tuple | ast.Constant
LEFT_OUT = ast.AugAssign | ast.Raise | ast.Delete | ast.Continue | ast.Break
TINY = 1e-3
AT_IMPORT = {"_attach_operators"}
"""Functions that a module runs while it is imported: to change them afterwards is too late."""


def in_place_of(new: ast.expr, old: ast.expr) -> ast.expr:
    """`new`, in code that reads the same variables as before: else it would not fit its function."""
    return ast.IfExp(ast.Constant(True), new, old)


def never(statement: ast.stmt) -> ast.stmt:
    return ast.If(ast.Constant(False), [statement], [])


def relation(node: ast.Compare) -> Iterator[Change]:
    for i, op in enumerate(node.ops):
        for other in RELATIONS[type(op)]:
            ops = [*node.ops[:i], other(), *node.ops[i + 1 :]]
            yield f"{type(op).__name__} as {other.__name__}", ast.Compare(node.left, ops, node.comparators)


def arithmetic(node: ast.BinOp) -> Iterator[Change]:
    if isinstance(node.left, ast.Constant | ast.JoinedStr) and isinstance(node.op, ast.Mod | ast.Add):
        return  # texts
    other = OPPOSITE.get(type(node.op))
    if other is not None:
        yield f"{type(node.op).__name__} as {other.__name__}", ast.BinOp(node.left, other(), node.right)
    if isinstance(node.op, ORDERED):
        yield "swap", ast.BinOp(node.right, node.op, node.left)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def call(node: ast.Call) -> Iterator[Change]:
    name = _name(node)
    plain = not any(isinstance(argument, ast.Starred) for argument in node.args)
    if len(node.args) > 1 and plain and name not in UNORDERED:
        one, other, *rest = node.args
        yield "swap arguments", ast.Call(node.func, [other, one, *rest], node.keywords)
    if name == "copy" and isinstance(node.func, ast.Attribute) and not node.args:
        yield "no copy", node.func.value
    if name == "array" and isinstance(node.func, ast.Attribute) and not isinstance(node.args[0], MADE_ON_THE_SPOT):
        yield "no copy", ast.Call(ast.Attribute(node.func.value, "asarray", ast.Load()), node.args, node.keywords)
    if name in COPIES and plain and len(node.args) == 1 and isinstance(node.args[0], ast.Name | ast.Attribute):
        yield "no copy", node.args[0]
    if name == "range" and plain and node.args:
        end = min(1, len(node.args) - 1)
        longer = [next_to(argument) if i == end else argument for i, argument in enumerate(node.args)]
        yield "off by one", ast.Call(node.func, longer, node.keywords)


def next_to(number: ast.expr) -> ast.expr:
    return ast.BinOp(number, ast.Add(), ast.Constant(1))


def constant(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield "turn round", ast.Constant(not value)
    elif isinstance(value, int):
        yield "off by one", ast.Constant(value + 1)
    elif isinstance(value, float):
        yield "another number", ast.Constant(value * 1e9 if 0 < value < TINY else value * 2 or 1.0)


def expression(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare():
            yield from relation(node)
        case ast.BinOp():
            yield from arithmetic(node)
        case ast.Call():
            yield from call(node)
        case ast.Constant():
            yield from constant(node)
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield f"{type(op).__name__} as {type(other).__name__}", ast.BoolOp(other, values)
        case ast.UnaryOp(ast.Not(), operand):
            yield "negate", operand
        case ast.UnaryOp(ast.USub(), operand) if not isinstance(operand, ast.Constant):
            yield "flip", operand
        case ast.Slice(lower, upper, step):
            if isinstance(lower, ast.expr) and not isinstance(lower, ast.Constant | ast.UnaryOp):
                yield "off by one", ast.Slice(next_to(lower), upper, step)
            if isinstance(upper, ast.expr) and not isinstance(upper, ast.Constant | ast.UnaryOp):
                yield "off by one", ast.Slice(lower, next_to(upper), step)


def condition(spot: Spot) -> Iterator[Change]:
    """What is done to the test of an `if` or a loop, beside what is done to its parts."""
    node = spot.node
    in_parts = isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp)
    if spot.field in ("test", "ifs", "guard") and isinstance(node, ast.expr) and not in_parts:
        yield "negate", ast.UnaryOp(ast.Not(), node)


def statement(spot: Spot, bound: set[str]) -> Iterator[Change]:
    """`bound` are the names that have a value before."""
    match spot.node:
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return nothing", ast.Return(in_place_of(ast.Constant(None), value))
        case ast.If(test, body, []):
            yield "never", ast.If(in_place_of(ast.Constant(False), test), body, [])
        case ast.With(items, body) if not any(item.optional_vars for item in items):
            yield "without", ast.If(ast.Constant(True), body, [never(spot.node)])
        case ast.Expr(ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield "drop", never(spot.node)
        case ast.Assign([ast.Attribute() | ast.Subscript()], _):
            yield "drop", never(spot.node)
        case ast.Assign([ast.Name(name)], _) if name in bound:
            yield "drop", never(spot.node)
        case node if isinstance(node, LEFT_OUT):
            yield "drop", never(node)


def header(node: ast.AST) -> ast.AST:
    """The last node of what a statement runs before its body."""
    match node:
        case ast.If(test) | ast.While(test):
            return test
        case ast.For(iter=source):
            return source
        case ast.With(items):
            return items[-1].context_expr
        case ast.Match(subject):
            return subject
    return node


def mutants(source: Source) -> Iterator[Mutant]:
    """All mutants of a file by these operators, in the order of its text."""
    group = source.name.split("/")[0]
    bound: set[str] = set()
    inside = None
    reshapes = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call) and _name(node) == "reshape"]
    signed = [node for one in reshapes for node in ast.walk(one) if isinstance(node, ast.UnaryOp)]
    rests = {id(node.operand) for node in signed}  # to `reshape` every number below 0 is the size that is left
    for spot in spots(source.tree):
        if id(spot.node) in rests or spot.owner in AT_IMPORT:
            continue
        if spot.function is not inside:
            inside = spot.function
            bound = {argument.arg for argument in ast.walk(inside.args) if isinstance(argument, ast.arg)}
        for what, new in [*expression(spot.node), *condition(spot), *statement(spot, bound)]:
            where = [source.lines(spot.node, header(spot.node))] if hasattr(spot.node, "lineno") else []
            if spot.statement is not None:
                where.append(source.lines(spot.statement, header(spot.statement)))
            text = ast.unparse(spot.node).split("\n")[0]
            begin = partial(source.edited, spot.holder, spot.key, new)
            where.append(source.lines(spot.function))
            yield Mutant(group, source.name, spot.owner, f"{what}: {text}", tuple(where), begin)
        bound |= {node.id for node in [spot.node] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def all_mutants() -> Iterator[Mutant]:
    """Of all packages but the table, whose rules have operators of their own."""
    for path in sorted(ROOT.glob("*/*.py")):
        if path.parent.name != "primitives" and not path.name.startswith("_"):
            yield from mutants(Source(path))
