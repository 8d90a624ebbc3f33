"""The pages of `gradcli help TOPIC`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gradcli.errors import UsageProblem
from gradcli.render.catalogue import Topic

_QUOTING = """\
Quoting

  Put the expression and every NAME=VALUE in single quotes: the shell reads * ( ) [ ] ; # and blanks itself.

    gradcli diff '(x+2)**2 + 3' --at x=2
    gradcli eval 'sum(x)' --at 'x=[1, 2, 3]'

  An expression may begin with a minus: gradcli diff '-x**2' --at x=2. One that begins with two comes \
last, behind a separate --. A long one is easier in a file: gradcli diff -f model.txt --at x=2, or on stdin \
with - in its place.
"""

_EXIT_CODES = """\
Exit codes

    0  done
    1  the answer is no (check only)
    2  usage: unknown command, option, format or mode; not NAME=VALUE; nothing to do
    3  the expression does not parse
    4  it cannot be evaluated or differentiated as asked
    5  input data: a VALUE, a file or stdin is not what it should be
   70  a bug in gradcli
   74  the output cannot be written
  130  interrupted (Ctrl-C)
  141  the pipe was closed
"""

_ENVIRONMENT = """\
Environment

  GRADCLI_FORMAT  the format where no option gives one; ignored by a command that lacks it, and by
                  functions and help
  GRADCLI_DEBUG   1: a bug in gradcli shows its traceback
  NO_COLOR        anything: no colour, unless --color always
  COLUMNS         the width of tables on a terminal
"""


def page(name: str) -> Topic:
    """One topic. Raises UsageProblem."""
    if name not in _PAGES:
        raise UsageProblem(f"no such topic: {name}", help=f"the topics are {', '.join(_PAGES)}")
    return Topic(name, _PAGES[name]())


def overview() -> Topic:
    """What there is to read."""
    names = "\n".join(f"  gradcli help {name}" for name in _PAGES)
    return Topic("help", f"Topics\n\n{names}\n\nThe commands: gradcli --help. One command: gradcli diff --help\n")


def _formats() -> str:
    from gradcli.cli.formats import BINARY, RENDERERS, SUFFIXES

    width = max(map(len, RENDERERS))
    rows = [
        f"  {command.ljust(width)}  {' '.join(form for form in renderers if form not in BINARY)}"
        for command, renderers in RENDERERS.items()
    ]
    suffixes = "\n".join(f"  {suffix.ljust(width)}  {form}" for suffix, form in SUFFIXES.items())
    return (
        "Formats\n\n  --format auto is a table on a terminal and JSON elsewhere.\n  "
        "--json and --plain are short for --format json and --format plain.\n  The notes of a table are part of it; "
        "those of csv and plain go to stderr.\n\n"
        + "\n".join(rows)
        + "\n\n  -o FILE picks the format by the suffix of the file:\n\n"
        + suffixes
        + "\n"
    )


def _grammar() -> str:
    from gradcli.syntax.tables import grammar_text

    return grammar_text()


_PAGES: Mapping[str, Callable[[], str]] = {
    "quoting": lambda: _QUOTING,
    "formats": _formats,
    "exit-codes": lambda: _EXIT_CODES,
    "environment": lambda: _ENVIRONMENT,
    "grammar": _grammar,
}
