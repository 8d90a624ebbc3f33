"""Texts that are nearly right: the corpus with some of its words deleted, doubled, swapped, replaced; and raw bytes."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path
from random import Random

from gradcli.primitives import TABLE

HERE = Path(__file__).parent
_WORD = re.compile(r"\s+|[0-9.]+(?:e[-+]?[0-9]+)?|\w+|[-+*/=<>!]{1,3}|.", re.DOTALL)
INSERTED = (
    "( ) [ ] , : ; = == + - * / ** @ . ... .T ' \" # \\ ? ! { } $ ~ | & ^ \n \r \t \0 \x1b \u202e \u200b × − ² х ｘ é "
    "٣ 0x1 1e400 nan inf None True lambda for if import x y A f( sum( einsum( where( [0] [:, None] [None] axis= dim= "
    "shape= 1_0 1__0 1,5 := -> => && || ++ -- <> \ufeff \ud800 \U0001f600 9999999999 1e9 zeros(9999,9999)"
).split(" ")


@cache
def corpus() -> tuple[str, ...]:
    """Every example of the table, and every input of the diagnostics."""
    examples = [entry.example for entry in TABLE.values() if entry.example]
    commands = sorted(HERE.parent.glob("diagnostics/*/*.cmd"))
    lines = [shlex.split(path.read_text(encoding="utf-8")) for path in commands]
    bad = [words[1] for words in lines if len(words) > 1]
    programs = [
        "y = x**2\ny[0] = 1\nsum(y)",
        "f(a, b) = a*b + sin(a)\nf(x, 2)",
        "mean((y - A@x)**2)",
        "u = 1*x; u += 2; u[1:] *= 3; u",
        "where(x > 0, log(x), 0)",
        "x[:, None] + x[None, :]",
        "a = x\n# comment\nb = (a +\n 1)\nb",
    ]
    return (*examples, *bad, *programs)


def mutated(rng: Random) -> str:
    words = _WORD.findall(rng.choice(corpus()))
    for _ in range(rng.choice([1, 1, 2, 3, 6])):
        _mutate(rng, words)
    return "".join(words)[:60_000]


def _mutate(rng: Random, words: list[str]) -> None:
    at = rng.randrange(len(words) + 1)
    kind = rng.randrange(7)
    if kind == 0:
        del words[at : at + rng.randint(1, 3)]
    elif kind == 1:
        words[at:at] = words[at : at + rng.randint(1, 4)] * rng.choice([1, 1, 2, 50])
    elif kind == 2 and len(words) > 1:
        other = rng.randrange(len(words))
        at = min(at, len(words) - 1)
        words[at], words[other] = words[other], words[at]
    elif kind == 3:
        words[at : at + 1] = [rng.choice(INSERTED)]
    elif kind == 4:
        other_text = _WORD.findall(rng.choice(corpus()))
        words[at:] = other_text[rng.randrange(len(other_text) + 1) :]
    elif kind == 5 and at < len(words):
        words[at] *= rng.choice([2, 3, 500])
    else:
        words.insert(at, rng.choice(INSERTED))


def raw(rng: Random) -> bytes:
    """Bytes of no meaning, or of a program with some bytes changed."""
    if rng.random() < 0.4:
        return rng.randbytes(rng.randint(0, 200))
    data = bytearray(rng.choice(corpus()).encode("utf-8", "surrogatepass"))
    for _ in range(rng.randint(1, 5)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)
