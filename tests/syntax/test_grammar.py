"""The grammar file and the tables made from it."""

from __future__ import annotations

import importlib.util
import logging
import re
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import lark
import pytest
from lark.lexer import PatternRE

from gradcli.errors import SyntaxProblem
from gradcli.span import Source
from gradcli.syntax import nodes, parse, tables
from gradcli.syntax.brackets import Brackets
from gradcli.syntax.builder import Builder
from tests.processes import run


@pytest.fixture(scope="module")
def plain() -> lark.Lark:
    return tables.build(tables.grammar_text())


def test_the_grammar_has_no_conflict(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lark.logger, "propagate", True)  # Lark resolves a conflict as a shift and only logs it
    monkeypatch.setattr(lark.logger, "level", logging.DEBUG)
    tables.build(tables.grammar_text(), debug=True)
    assert not caplog.records


def test_a_conflict_would_be_noticed(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lark.logger, "propagate", True)
    monkeypatch.setattr(lark.logger, "level", logging.DEBUG)
    tables.build('program: sum\nsum: NAME | sum "+" sum\nNAME: "a"', debug=True)
    assert "Shift/Reduce conflict" in caplog.text


def test_terminals_take_linear_time(plain: lark.Lark) -> None:
    for terminal in plain.terminals:
        if not isinstance(terminal.pattern, PatternRE):
            continue
        pattern = re.compile(terminal.pattern.to_regexp())
        for unit in ("1", "1_", "1.", "1e", ".", "a", "_", "=", "*", '"', "'", "\"'", "\n", "\n ", " ", "#", "\r\n"):
            text = unit * 100_000 + "\x00"
            begin = time.process_time()
            pattern.match(text)
            pattern.match('"' + text)
            assert time.process_time() - begin < 0.5, (terminal.name, unit)


def test_digits_are_those_of_ascii(plain: lark.Lark) -> None:
    number = re.compile(next(t for t in plain.terminals if t.name == "NUMBER").pattern.to_regexp())
    digits = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) == "Nd"]
    assert [digit for digit in digits if number.match(digit)] == list("0123456789")


def test_names_are_made_of_latin_and_greek_letters_that_are_their_own_compatibility_form() -> None:
    for code in [*range(0x80, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x2000), *range(0x2100, 0x2150)]:
        letter = chr(code)
        wanted = (
            unicodedata.name(letter, "").startswith(("LATIN ", "GREEK "))
            and unicodedata.category(letter) in ("Lu", "Ll", "Lt")
            and unicodedata.normalize("NFKC", letter) == letter
        )
        assert _continues_a_name(letter) == wanted, f"U+{code:04X}"


def _continues_a_name(letter: str) -> bool:
    try:
        (statement,) = parse(Source(f"x{letter} = 1")).statements
    except SyntaxProblem:
        return False
    return isinstance(statement, nodes.Assign) and statement.target.name == f"x{letter}"


def test_the_builder_has_a_method_for_every_phrase_and_no_other(plain: lark.Lark) -> None:
    made = {rule.alias or rule.origin.name for rule in plain.rules}
    made = {str(name) for name in made if not name.startswith("_")}
    single = {str(rule.origin.name) for rule in plain.rules if rule.options.expand1 and not rule.alias}
    methods = {name for name in vars(Builder) if not name.startswith("_")}
    assert methods == (made - single) | {"comparison"}


# ---- prebuilt tables


def _tables_from(text: str, folder: Path) -> dict[str, Any]:
    file = folder / "made_tables.py"
    file.write_text(tables.dump(text), encoding="utf-8")
    location = importlib.util.spec_from_file_location("made_tables", file)
    assert location is not None
    assert location.loader is not None
    module = importlib.util.module_from_spec(location)
    location.loader.exec_module(module)
    return vars(module)


def test_prebuilt_tables_are_used_and_give_the_same_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _tables_from(tables.grammar_text(), tmp_path)
    monkeypatch.setattr(tables, "_prebuilt", lambda: made)
    monkeypatch.setattr(tables, "build", lambda *_, **__: pytest.fail("built in memory"))
    loaded = tables.load(Builder(), Brackets())
    text = "a = f(x,\n y=1)\na[0] += 2\n-a**2 < 3"
    trees = [[type(node) for node in nodes.children(s)] for s in loaded.parse(text)]  # type: ignore[attr-defined]
    assert trees == [[type(node) for node in nodes.children(s)] for s in parse(Source(text)).statements]


@pytest.mark.parametrize("stale", [{"GRAMMAR": "other"}, {"LARK_VERSION": "0.0"}])
def test_stale_tables_are_not_used(stale: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _tables_from(tables.grammar_text(), tmp_path) | stale | {"DATA": None}
    monkeypatch.setattr(tables, "_prebuilt", lambda: made)
    assert tables.load(Builder(), Brackets()).parse("x")


def test_without_tables_the_parser_is_built_from_the_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_prebuilt", lambda: None)
    assert tables.load(Builder(), Brackets()).parse("x")


def test_lark_is_imported_only_when_a_text_is_parsed() -> None:
    program = "import sys, gradcli.syntax; sys.exit('lark' in sys.modules)"
    assert run([sys.executable, "-c", program]).returncode == 0
