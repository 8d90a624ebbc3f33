"""From syntax tree to plan: statements, the names that they bind, and where their writes go."""

from __future__ import annotations

from gradcli.errors import SyntaxProblem
from gradcli.lowering.expressions import ExpressionLowering
from gradcli.lowering.plan import Apply, Constant, Plan, Update, Write
from gradcli.primitives import TABLE
from gradcli.syntax import nodes


def lower(program: nodes.Program) -> Plan:
    """The plan of a program. Raises UnknownName, BadArgument, InplaceWrite, LimitExceeded with source and span."""
    return ProgramLowering(program).plan()


class ProgramLowering(ExpressionLowering):
    def plan(self) -> Plan:
        result = 0
        for statement in self._program.statements:
            result = self._statement(statement)
        last = self._program.statements[-1]
        if isinstance(last, nodes.Define):
            raise self._problem(
                SyntaxProblem(
                    "a definition has no value",
                    span=last.span,
                    label="the last statement gives the result",
                    help=f"call it on the last line: {last.function}({', '.join(last.parameters)})",
                )
            )
        if isinstance(last, nodes.Assign):
            self._assigned.pop(last.target.name, None)
        unread = sorted([*self._unread, *self._assigned.items()], key=lambda item: item[1])
        span = last.value.span if isinstance(last, nodes.Result) else last.span
        return Plan(self._program.source, self._steps, result, span, self._first, tuple(unread))

    def _statement(self, statement: nodes.Statement) -> int:
        match statement:
            case nodes.Result():
                return self._drive(statement.value)
            case nodes.Define():
                self._functions[statement.function] = statement
                return -1
            case nodes.Assign():
                register = self._drive(statement.value)
                self._assign(statement, register)
                return register
            case nodes.AssignIndex():
                value = self._drive(statement.value)
                index = self._finish(self._index_parts(statement.target))
                return self._write(statement, self._base(statement.target.base), index, value)
            case nodes.Augment():
                return self._augment(statement)
        raise AssertionError(statement)

    def _augment(self, statement: nodes.Augment) -> int:
        primitive = TABLE.operators[statement.operator]
        value = self._drive(statement.value)
        target = statement.target
        if isinstance(target, nodes.Name):
            base = self._base(target)
            self._emit(Update(statement.span, base, primitive, value))
            return base
        base, index = self._base(target.base), self._finish(self._index_parts(target))
        old = self._emit(Apply(target.span, TABLE["index"], (base,), (target.base.span,), (("index", "any", index),)))
        spans = (target.span, statement.value.span)
        new = self._emit(Apply(statement.span, primitive, (old, value), spans))
        return self._write(statement, base, index, new)

    def _write(self, statement: nodes.Statement, base: int, index: int, value: int) -> int:
        self._emit(Write(statement.span, base, index, value))
        return base

    def _base(self, name: nodes.Expression) -> int:
        """The register that a write goes to. Only a run can tell inputs, which it refuses, from names without a value.

        Constants get a copy for each run.
        """
        assert isinstance(name, nodes.Name)
        known = self._names.get(name.name)
        if known is None:
            return self._drive(name)
        step = self._steps[known]
        if isinstance(step, Constant):
            step.written = True
        return known

    def _assign(self, statement: nodes.Assign, register: int) -> None:
        target = statement.target
        if target.name in self._assigned:
            self._unread.append((target.name, self._assigned[target.name]))
        self._names[target.name] = register
        self._first.setdefault(target.name, statement.span)
        self._assigned[target.name] = target.span
