"""The commands. Each chooses its format, reads its inputs, calls one mode and shows the result."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gradcli import __version__
from gradcli.cli import formats, jacobians, options, reporting, streams
from gradcli.cli.options import Inputs, Output
from gradcli.cli.parsing import Command, Commands
from gradcli.errors import UsageProblem, closest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradcli.cli.inputs import Problem
    from gradcli.results import FunctionEntry

PROGRAM = "gradcli"
COMPLETION_VARIABLE = "_GRADCLI_COMPLETE"
_DISAGREED = 1
_COLORS = ("auto", "always", "never")

app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)


def _command(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def register(body: Callable[..., None]) -> Callable[..., None]:
        return app.command(name, cls=Command)(options.grouped(body))

    return register


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"{PROGRAM} {__version__}")
        raise typer.Exit


@app.callback()
def program(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Values, gradients and Jacobians of an expression.

    gradcli diff '(x+2)**2+3' --at x=2
    """
    if ctx.invoked_subcommand is None:
        if reporting.for_machines():
            raise UsageProblem("nothing to do", help="gradcli --help")
        typer.echo(ctx.get_help(), err=True)
        raise typer.Exit(UsageProblem.exit_code)


@_command("eval")
def evaluate(expr: options.OneExpression = None, *, inputs: Inputs, output: Output) -> None:
    """Value of the expression."""
    form = _format("eval", output)
    task = _problem(inputs, expr)
    _show("eval", form, task.expression.evaluate(task.at), output)


@_command("diff")
def diff(
    expr: options.OneExpression = None,
    wrt: options.Wrt = None,
    grad_output: options.GradOutput = None,
    order: options.Order = 1,
    *,
    inputs: Inputs,
    output: Output,
) -> None:
    """Value and gradient, in one backward pass."""
    form = _format("diff", output)
    task = _problem(inputs, expr, wrt=wrt, extra=("--grad-output", grad_output))
    result = task.expression.diff(task.at, wrt=wrt, grad_output=task.extra, order=order)
    _show("diff", form, result, output)


@_command("jacobian")
def jacobian(
    expr: options.Expressions = None,
    wrt: options.Wrt = None,
    mode: options.Mode = "auto",
    pattern: options.Pattern = False,
    *,
    inputs: Inputs,
    output: Output,
) -> None:
    """Full Jacobian, one block for each variable.

    Side by side in a matrix (csv, plain, .npy), variables stand in the order of their first appearance, or of --wrt.
    """
    kind = jacobians.kind(mode, pattern, output)
    form = _format(kind, output)
    task = _problem(inputs, expr, wrt=wrt)
    _show(kind, form, jacobians.taken(kind, form, task, wrt, mode, output), output)


@_command("hessian")
def hessian(
    expr: options.OneExpression = None,
    wrt: options.Wrt = None,
    diag: options.Diagonal = False,
    mode: options.HessianMode = "auto",
    *,
    inputs: Inputs,
    output: Output,
) -> None:
    """Value, gradient and second derivatives of a scalar.

    In a matrix (csv, plain, .npy), variables stand in the order of their first appearance, or of --wrt.
    """
    kind = jacobians.hessian_kind(mode, diag, output)
    form = _format(kind, output)
    task = _problem(inputs, expr, wrt=wrt)
    take = getattr(task.expression, jacobians.HESSIANS[kind])
    _show(kind, form, take(task.at, wrt=wrt), output)


@_command("hvp")
def hvp(
    expr: options.OneExpression = None, tangent: options.Tangents = None, *, inputs: Inputs, output: Output
) -> None:
    """Hessian-vector product, without the Hessian."""
    form = _format("hvp", output)
    task = _problem(inputs, expr, named=("--tangent", tangent))
    _show("hvp", form, task.expression.hvp(task.at, task.named), output)


@_command("jvp")
def jvp(
    expr: options.OneExpression = None, tangent: options.Tangents = None, *, inputs: Inputs, output: Output
) -> None:
    """Directional derivative, in one forward pass."""
    form = _format("jvp", output)
    task = _problem(inputs, expr, named=("--tangent", tangent))
    _show("jvp", form, task.expression.jvp(task.at, tangent=task.named), output)


@_command("vjp")
def vjp(
    expr: options.OneExpression = None,
    wrt: options.Wrt = None,
    cotangent: options.Cotangent = None,
    *,
    inputs: Inputs,
    output: Output,
) -> None:
    """Vector-Jacobian product, in one backward pass."""
    form = _format("vjp", output)
    task = _problem(inputs, expr, wrt=wrt, extra=("--cotangent", cotangent))
    _show("vjp", form, task.expression.vjp(task.at, task.extra, wrt=wrt), output)


@_command("check")
def check(
    expr: options.OneExpression = None,
    wrt: options.Wrt = None,
    against: options.Claims = None,
    *,
    inputs: Inputs,
    output: Output,
) -> None:
    """Reverse mode, forward mode and finite differences side by side."""
    form = _format("check", output)
    task = _problem(inputs, expr, wrt=wrt, named=("--against", against))
    result = task.expression.check(task.at, wrt=wrt, against=task.named)
    _show("check", form, result, output)
    if not result.passed:
        raise typer.Exit(_DISAGREED)


@_command("graph")
def graph(
    expr: options.OneExpression = None,
    wrt: options.Wrt = None,
    grad_output: options.GradOutput = None,
    *,
    inputs: Inputs,
    output: Output,
) -> None:
    """The autograd graph as a tree."""
    form = _format("graph", output)
    task = _problem(inputs, expr, wrt=wrt, extra=("--grad-output", grad_output))
    _show("graph", form, task.expression.graph(task.at, wrt=wrt, grad_output=task.extra), output)


@_command("functions")
def functions(name: options.FunctionName = None, *, output: Output) -> None:
    """The functions of the language, or one of them."""
    from gradcli.modes.functions import functions as known

    form = _format("functions", output)
    _show("functions", form, known() if name is None else (_function(name),), output)


@_command("help")
def topic(topic: options.Topic = None, *, output: Output) -> None:
    """A page on quoting, formats, exit-codes, environment or grammar."""
    from gradcli.cli.topics import overview, page

    form = _format("help", output)
    _show("help", form, page(topic) if topic is not None else overview(), output)


@_command("completion")
def completion(shell: options.Shell = None) -> None:
    """Print the completion script of a shell."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]  # its documented place

    shells = ("bash", "zsh", "fish", "powershell", "pwsh")
    if shell not in shells:
        raise UsageProblem(f"no such shell: {shell}" if shell else "which shell?", help=f"one of {', '.join(shells)}")
    typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE, shell=shell))


def _format(command: str, output: Output) -> str:
    if output.color not in _COLORS:
        raise UsageProblem(f"--color takes {', '.join(_COLORS)}, not {output.color!r}")
    if command in ("functions", "help"):  # text in a pipe too
        return formats.chosen(command, output, None, terminal=True)
    return formats.chosen(command, output, os.environ.get(formats.VARIABLE), streams.on_terminal(sys.stdout))


def _function(name: str) -> FunctionEntry:
    from gradcli.modes.functions import function, function_names
    from gradcli.primitives.random import manual_seed

    manual_seed(0)  # an example that draws shows the same numbers each time
    found = function(name)
    if found is None:
        near = closest(name, function_names())
        raise UsageProblem(
            f"no function {name}", help=f"did you mean {near}?" if near else "`gradcli functions` lists what there is"
        )
    return found


def _problem(given: Inputs, texts: Sequence[str] | None, **more: Any) -> Problem:
    # Here and in _show: what reads numbers is imported only when there are numbers to read.
    from gradcli.cli.inputs import problem

    return problem(given, texts, **more)


def _show(command: str, form: str, result: Any, output: Output) -> None:
    from gradcli.cli.output import show

    show(command, form, result, output)
