"""The entry point: whatever happens below ends here in one of the documented exit codes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from gradcli.errors import GradcliError

INTERRUPTED = 130
CLOSED_PIPE = 141
_ENDINGS = ("SIGHUP", "SIGTERM", "SIGQUIT", "SIGXCPU", "SIGALRM", "SIGUSR1", "SIGUSR2")
GRACE = 0.3
"""Seconds in which Ctrl-C may end the process in good order."""


def run() -> NoReturn:
    """The console script."""
    try:
        _prepare_process()
        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    _abandon_files()
    sys.exit(code)


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        with _cautions():
            code = _run(argv)
        from gradcli.cli.output import flush
        from gradcli.cli.reporting import finish

        flush()
        finish()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return CLOSED_PIPE
    except Exception as error:  # the only catch-all: a bug becomes one line and exit code 70
        return _failed(error)


@contextmanager
def _cautions() -> Iterator[None]:
    """Within, warnings of the library are drawn as the command's own are; all others stay what they were."""
    from gradcli.cli import reporting
    from gradcli.errors import Caution

    def show(message: Warning | str, *place: Any, **more: Any) -> None:
        if isinstance(message, Caution):
            reporting.warn(message)
        else:
            others(message, *place, **more)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=Caution)
        others, warnings.showwarning = warnings.showwarning, show
        yield


def _prepare_process() -> None:
    """Signals end the process in good order, and a library's warnings are not for the user's eyes."""
    import gc

    # Imports make some hundred thousand objects that all stay: looking for garbage among them costs 10 ms.
    gc.set_threshold(100_000, *gc.get_threshold()[1:])

    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    _watch_for_endings()  # first: threads inherit the signals that are blocked
    _watch_for_interrupts()


def _watch_for_interrupts() -> None:
    """A signal waits for NumPy's call to return, which may take long: Ctrl-C then ends the process all the same."""
    import signal
    import time
    from threading import Thread

    def wait() -> None:
        os.read(told, 1)
        time.sleep(GRACE)
        _abandon_files()
        os._exit(INTERRUPTED)

    told, telling = os.pipe()
    os.set_blocking(telling, False)
    signal.set_wakeup_fd(telling, warn_on_full_buffer=False)
    Thread(target=wait, daemon=True).start()


def _watch_for_endings() -> None:
    """A terminal that closes, a batch system or a limit ends the process by a signal: half a file is taken away first.

    The signals are blocked, so that only a thread meets them, at once and whatever NumPy is doing; then they do what
    they always did.
    """
    import signal
    from threading import Thread

    if not hasattr(signal, "sigwait"):
        return
    ending = {known for name in _ENDINGS if (known := getattr(signal, name, None)) is not None}
    ending = {known for known in ending if signal.getsignal(known) is signal.SIG_DFL}  # nohup has them ignored

    def wait() -> None:
        met = signal.sigwait(ending)
        _abandon_files()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [met])
        os.kill(os.getpid(), met)

    signal.pthread_sigmask(signal.SIG_BLOCK, ending)
    Thread(target=wait, daemon=True).start()


def _abandon_files() -> None:
    target = sys.modules.get("gradcli.cli.target")
    if target is not None:
        target.abandon()


def _run(argv: Sequence[str]) -> int:
    from gradcli.cli import app, formats, reporting
    from gradcli.cli.parsing import asked

    program = _program(argv)
    if app.COMPLETION_VARIABLE in os.environ:
        _complete(program, app.PROGRAM)
    given = asked(argv, _declared(program, argv))
    reporting.configure(_machine(given, os.environ.get(formats.VARIABLE)), given.get("--color", "auto"))
    import typer

    try:
        with program.make_context(app.PROGRAM, list(argv)) as context:
            program.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    return 0


def _program(argv: Sequence[str]) -> Any:
    """The commands as Typer reads them; only the one that is named, where one is: to read them all takes 5 ms."""
    from copy import copy

    from typer.main import get_command

    from gradcli.cli.app import app

    named = [command for command in app.registered_commands if command.name in argv[:1]]
    chosen = copy(app)
    chosen.registered_commands = named or app.registered_commands
    return get_command(chosen)


def _declared(program: Any, argv: Sequence[str]) -> dict[str, bool]:
    """The options of the command that is meant; of all commands where that is not clear."""
    from gradcli.cli.parsing import Command

    meant = program.commands.get(argv[0]) if argv else None
    commands = [meant] if meant is not None else program.commands.values()
    return {
        name: takes_value
        for command in commands
        if isinstance(command, Command)
        for name, takes_value in command.declared().items()
    }


def _machine(given: dict[str, str], environment: str | None) -> bool:
    """Whether errors are to be JSON: as the format asked for on the command line, else in the environment."""
    form = "json" if "--json" in given else "plain" if "--plain" in given else given.get("--format", "auto")
    return (environment if form == "auto" else form) in ("json", "jsonl")


def _complete(program: Any, name: str) -> None:
    """Answer the shell's question; does not return."""
    from typer.completion import completion_init  # type: ignore[attr-defined]  # its documented place

    completion_init()
    program.main(prog_name=name)


def _failed(error: Exception) -> int:
    from gradcli.cli import reporting

    reporting.finish()  # warnings come first
    known = _known(error)
    if known is None:
        return _bug(error)
    reporting.report(known)
    if known.kind == "output":
        _abandon_stdout()
    return known.exit_code


def _known(error: Exception) -> GradcliError | None:
    """The error as one of ours: Typer's own are usage problems, a failed write or allocation has its kind."""
    # Typer shows this class under no public name before 0.28.
    from typer._click.exceptions import UsageError

    from gradcli import errors

    if isinstance(error, errors.GradcliError):
        return error
    if isinstance(error, UsageError):
        return errors.UsageProblem(_lowered(error.format_message()))
    if isinstance(error, MemoryError):
        return errors.LimitExceeded("not enough memory")
    if isinstance(error, OSError):  # reading has its own errors, so this was help or a version being written
        return errors.OutputFailed(f"cannot write: {error.strerror or 'output failed'}")
    return None


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")


def _bug(error: Exception) -> int:
    from gradcli import __version__

    if os.environ.get("GRADCLI_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    from gradcli.cli import reporting
    from gradcli.errors import InternalError

    what = f"a bug in gradcli {__version__}: {type(error).__name__}"
    reporting.report(InternalError(what, help="GRADCLI_DEBUG=1 shows the traceback"))
    return InternalError.exit_code


def _abandon_stdout() -> None:
    from gradcli.cli.output import abandon_stdout

    abandon_stdout()
