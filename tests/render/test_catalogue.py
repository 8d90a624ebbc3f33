"""The list of functions and the page of one."""

from gradcli.render.catalogue import function_list, function_page, function_text
from gradcli.results import FunctionEntry

SIN = FunctionEntry("sin", (), "elementwise", "sin(x)", "sine", "cos(x)", "", "sin(pi/2)")
WHERE = FunctionEntry("where", (), "elementwise", "where(mask, a, b)", "choice", "", "ties to b", "where(x > 0, x, 0)")
SUM = FunctionEntry("sum", ("total",), "reductions", "sum(x, axis=None)", "sum", "ones", "", "sum([1, 2])")


def test_list_by_group() -> None:
    assert function_list([SIN, SUM, WHERE]) == (
        "elementwise\n  sin(x)             sine\n  where(mask, a, b)  choice\n\nreductions\n  sum(x, axis=None)  sum\n"
    )


def test_page() -> None:
    assert function_page(SUM) == (
        "sum(x, axis=None)\n  sum\n\n  group       reductions\n  aliases     total\n  derivative  ones\n"
        "  example     sum([1, 2])\n"
    )


def test_one_entry_is_a_page() -> None:
    assert function_text([SIN]) == function_page(SIN)
    assert function_text([SIN, SUM]) == function_list([SIN, SUM])
