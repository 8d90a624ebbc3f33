"""The usual slips of those who come from other languages: what they look like, and what to write instead.

One row each: what the parser waited for (`value`, `operator`, or `any`), a pattern, the message and the help.
A row fits when its pattern matches around the place where the parser stopped; the first row that fits is
taken. `{0}` stands for the matched text, `{joined}` for the same without blanks, `{1}` and so on for the
groups of the pattern; the caret goes where the first of them is. What a group named `call` matches must be a
function. The patterns only ever see a short window of the text.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

from gradcli.errors import SyntaxProblem
from gradcli.span import Span

_WINDOW = 100


class Slip(NamedTuple):
    waiting_for: str
    pattern: re.Pattern[str]
    message: str
    help: str


def _slip(waiting_for: str, pattern: str, message: str, help: str) -> Slip:
    return Slip(waiting_for, re.compile(pattern), message, help)


MODULES = ("np", "numpy", "math", "torch", "jnp", "jax", "scipy", "sp", "F", "nn", "tf", "cmath")
"""What stands before the names of functions and constants in programs; a variable may be called so too."""

_NAME = r"[^\W\d]\w*"
_POWER = r"(?:\*\*|\^)[ \t]*"
_PREFIX = rf"(?<![\w.])(?:{'|'.join(MODULES)})[ \t]*\.[ \t]*(?:{_NAME}\.)*"
NO_PREFIX = "functions and constants need no prefix"
_DERIVATIVE = "`gradcli diff 'x**2'` gives the derivative"
_GREEK = (
    "alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|iota|kappa|mu|nu|xi|pi|rho|sigma|tau|phi|varphi|chi|psi"
    "|omega|Delta|Omega|Theta|Lambda|Sigma|Phi|Psi|Gamma"
)
_CHOICE = "`where(condition, a, b)` chooses between values"

SLIPS = (
    # numbers
    _slip(
        "operator",
        r"(?<![\w.])(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?([jJ])\b",
        "complex numbers are not supported",
        "numbers are real; a product with a variable j is written `...*j`",
    ),
    _slip("operator", r"(?<![\w.])0[xXbBoO][0-9a-fA-F]*", "`{0}` is not a number", "numbers are written in decimal"),
    _slip(
        "operator",
        r"(?<![\w.])[0-9.][0-9_.]*[eE][-+]?(?!\w)",
        "the number `{0}` has no exponent",
        "digits follow the e: `1e3`; a product with the constant e is `2*e`",
    ),
    _slip(
        "operator", r"(?<!\w)[0-9][0-9_]*\.[0-9_]*\.[0-9.]*", "`{0}` is not a number", "a number has one decimal point"
    ),
    _slip(
        "operator",
        r"(?<=[0-9]),(?=[0-9])",
        "a comma between two numbers",
        "write a decimal point: `1.5`, not `1,5`; a list is written `[1, 5]`",
    ),
    _slip(
        "operator",
        r"(?<![\w.])([0-9]{1,3}(?:[ \t]+[0-9]{3})+)(?![\w.])",
        "a number has no blanks",
        "write `{joined}`; in a list items have a comma between them",
    ),
    _slip("operator", r",", "a comma outside of brackets", "a list is written `[a, b]`, a tuple `(a, b)`"),
    _slip("operator", r"\[[^][;\n]*(;)", "a `;` does not part rows", "a matrix is a list of rows: `[[1, 2], [3, 4]]`"),
    _slip("operator", r"\w\([^()\n]*(;)", "a `;` does not part arguments", "write a comma"),
    # powers and calls as they are written on paper
    _slip(
        "operator",
        rf"\b(((?:sin|cos|tan|sec|csc|cot)h?)[ \t]*{_POWER}-[ \t]*1)[ \t]*[\w(]",
        "a power stands after the call",
        "the inverse function is `a{2}(x)`, the reciprocal `1/{2}(x)`",
    ),
    _slip(
        "operator",
        rf"\b((?P<call>{_NAME})[ \t]*{_POWER}(-?[0-9.]+))[ \t]*[\w(]",
        "a power stands after the call",
        "write `{2}(x)**{3}`",
    ),
    _slip("any", r"\b(d[ \t]*/[ \t]*d[^\W\d])\b[ \t]*\S?", "there is no `{1}`", _DERIVATIVE),
    _slip("operator", r"\b(mod|MOD)\b(?!\()", "there is no operator `{1}`", "the remainder is `x % y`"),
    _slip("operator", r"\b(div|DIV)\b(?!\()", "there is no operator `{1}`", "a division that rounds down is `x // y`"),
    _slip("operator", r"\b(AND|And)\b", "there is no `{1}`", "write `and`"),
    _slip("operator", r"\b(OR|Or)\b", "there is no `{1}`", "write `or`"),
    _slip("operator", r"\b(xor|XOR|Xor)\b", "there is no `{1}`", "masks differ where `a != b`"),
    _slip("operator", r"\b(NOT|Not)\b[ \t]+\w", "there is no `{1}`", "write `not`"),
    _slip(
        "operator",
        rf"\b(?P<call>{_NAME})[ \t]+([0-9.]+)[ \t]*({_NAME})",
        "the argument of `{1}` needs parentheses",
        "write `{1}({2}*{3})`",
    ),
    _slip(
        "operator",
        rf"\b(?P<call>{_NAME})[ \t]+([0-9.]+|{_NAME})",
        "the argument of `{1}` needs parentheses",
        "write `{1}({2})`",
    ),
    # words of Python
    _slip("any", r"\b(import|from)\b[ \t]+\w", "there is nothing to import", f"{NO_PREFIX}: `sin(x)`"),
    _slip("any", rf"{_PREFIX}(newaxis)\b\s*\S?", NO_PREFIX, "a new axis is written `None`"),
    _slip("any", rf"{_PREFIX}({_NAME})\(", NO_PREFIX, "write `{1}(...)`"),
    _slip("any", rf"{_PREFIX}({_NAME})\b(?![.(])[ \t]*[^ \t]", NO_PREFIX, "write `{1}`"),
    _slip(
        "any", r"\b(lambda)\b[\w\s,]*:", "there is no lambda", "`f(a) = ...` on a line of its own defines a function"
    ),
    _slip("any", rf"\b(def)\s+{_NAME}", "there is no def", "`f(a) = ...` defines a function"),
    _slip(
        "any",
        r"\b(del|return|print|while|class|global|assert|raise|let|var|const|function)\b[ \t]+[\w\"']",
        "there is no `{1}` statement",
        "a statement is an expression, `name = ...` or `f(a) = ...`; the last one is the result",
    ),
    _slip(
        "operator",
        r"\b(for)\b(?:[ \t]*\w)?",
        "there are no comprehensions and no loops",
        "operations apply to whole arrays: `x**2`",
    ),
    _slip("operator", r"\b(if|elif)\b[ \t]*\w?", "there is no if ... else", _CHOICE),
    _slip("operator", r"\b(else)\b", "there is no if ... else", _CHOICE),
    _slip("operator", r"\bis\b", "there is no `is`", "`==` compares"),
    # operators of other languages
    _slip("value", r"&&", "there is no `&&`", "write `and`; `&` combines masks"),
    _slip("value", r"\|\|", "there is no `||`", "write `or`; `|` combines masks; an absolute value is `abs(x)`"),
    _slip(
        "value", r"\|[^|\n]+\|", "there are no bars around a value", "an absolute value is `abs(x)`, a norm `norm(x)`"
    ),
    _slip("any", r"\.[*/^]", "there is no `{0}`", "`*`, `/` and `**` work element by element already"),
    _slip("any", r"\?", "there is no `?`", _CHOICE),
    _slip("any", r"!", "there is no `!`", "`not a` negates, `!=` compares, `gamma(n + 1)` is a factorial"),
    _slip("any", r"->", "there is no `->`", "`f(a) = ...` on a line of its own defines a function"),
    _slip("value", r"(\+\+)\s*[;)\n]", "there is no `++`", "`y += 1` is a statement of its own"),
    _slip("any", r"<>", "there is no `<>`", "write `!=`"),
    _slip("any", r"=<|=>", "there is no `{0}`", "write `<=` or `>=`"),
    _slip("any", r":=", "there is no `:=`", "an assignment is a statement of its own: `a = 1`"),
    _slip("any", r"===", "there is no `===`", "write `==`"),
    _slip("any", r"(?://|[%@&|])=", "there is no `{0}`", "`op=` exists for + - * / **; write `a = a // b` in full"),
    _slip(
        "operator", r"=", "an `=` that assigns nothing", "`==` compares; a statement has one `=`, outside of brackets"
    ),
    # quotes, attributes, brackets
    _slip("operator", r"(?<=[\w)\]])'", "there is no `'` operator", "the transpose is `x.T`"),
    _slip(
        "any",
        r"([\"'])(?![^\n]*\1)",
        "this string is never closed",
        "it ends on the same line, with the quote it began with",
    ),
    _slip("any", r"\.[ \t]*(_\w*)\b[ \t]*[^ \t(]", "there is no attribute `{1}`", "the one attribute is `.T`"),
    _slip("any", r"\.[ \t]*(grad)\b[ \t]*[^ \t(]", "there is no attribute `{1}`", "`gradcli diff` gives the gradient"),
    _slip(
        "any",
        rf"\.[ \t]*(?P<call>{_NAME})\b[ \t]*[^ \t(]",
        "there is no attribute `{1}`",
        "write `{1}(x)`, or `x.{1}()` in method spelling; the one attribute is `.T`",
    ),
    _slip(
        "any",
        rf"\.[ \t]*({_NAME})\b[ \t]*[^ \t(]",
        "there is no attribute `{1}`",
        "products are written `x*{1}` and `dot(x, {1})`; the one attribute is `.T`",
    ),
    # LaTeX
    _slip("any", r"\\(?:cdot|times|ast)\b", "there is no `{0}`", "a product is written `x*y`"),
    _slip("any", r"\\infty\b", "there is no `{0}`", "write `inf`"),
    _slip("any", r"\\(?:left|right|big|Big)\b", "there is no `{0}`", "brackets stand alone: `(`, `)`"),
    _slip("any", r"\\(?:leq?|geq?|neq?)\b", "there is no `{0}`", "write `<=`, `>=`, `!=`"),
    _slip("any", rf"(\\({_GREEK}))\b", "there is no `{1}`", "a name stands alone: `{2}`"),
    _slip("any", r"(\\(?P<call>(?!frac)[a-zA-Z]+))", "there is no `{1}`", "a function stands alone: `{2}(x)`"),
    _slip(
        "any", r"\\[a-zA-Z]+", "there is no `{0}`", "functions are written `sqrt(x)`, fractions `a/b`, powers `a**b`"
    ),
    _slip("any", r"\$", "there is no `$`", "a name stands alone; between double quotes the shell replaces `$x` itself"),
    _slip("any", r"\\", "a backslash does not continue a line", "inside parentheses an expression may span lines"),
    _slip("any", r"[{}]", "there are no braces", "a list is written `[a, b]`, grouping `(a)`"),
    _slip("any", r"\.\.\.", "`...` stands only in an index", "such as `x[..., 0]`"),
    _slip(
        "operator",
        r"((?<![\w.:])([0-9]+)[ \t]*:[ \t]*([0-9]+))(?![ \t]*:)",
        "a `:` has no place here",
        "a range is `arange({2}, {3} + 1)`, a slice stands in an index: `x[start:stop:step]`",
    ),
    _slip("operator", r":", "a `:` has no place here", "a slice stands in an index: `x[start:stop:step]`"),
)


def known_slip(text: str, at: int, waiting_for: str, functions: Container[str]) -> SyntaxProblem | None:
    """The error for the slip that matches around `at`, if it is one of the usual ones."""
    begin = max(0, at - _WINDOW)
    window = text[begin : at + _WINDOW] + "\n"
    for slip in SLIPS:
        if slip.waiting_for in ("any", waiting_for):
            found = _around(slip.pattern, window, at - begin)
            name = found.groupdict().get("call") if found is not None else None
            if found is not None and (name is None or name in functions):
                return _problem(slip, found, begin)
    return None


def _problem(slip: Slip, found: re.Match[str], begin: int) -> SyntaxProblem:
    start, stop = found.span(1 if slip.pattern.groups else 0)
    words = (found[0], *found.groups())
    help = slip.help.format(*words, joined="".join(found[0].split()))
    return SyntaxProblem(slip.message.format(*words), span=Span(begin + start, begin + stop), help=help)


def _around(pattern: re.Pattern[str], window: str, at: int) -> re.Match[str] | None:
    """The first match that covers the character at `at`; matches may overlap."""
    found = pattern.search(window)
    while found is not None and found.start() <= at:
        if at < found.end():
            return found
        found = pattern.search(window, found.start() + 1)
    return None
