"""The page of every function: it renders, and shows the result of its example."""

import numpy as np
import pytest

from gradcli.modes.functions import function, function_names, functions
from gradcli.render.catalogue import function_page
from gradcli.render.text import Look


@pytest.mark.parametrize("name", [entry.name for entry in functions()])
def test_the_page_of_a_function(name: str) -> None:
    entry = function(name)
    assert entry is not None
    assert entry.result is not None
    page = function_page(entry, Look())
    for fact in (entry.signature, entry.summary, entry.derivative, entry.edge, entry.example, *entry.aliases):
        assert fact in page
    assert "  result " in page or not np.size(entry.result)


def test_every_name_leads_to_its_page() -> None:
    for name in function_names():
        entry = function(name)
        assert entry is not None
        assert name in (entry.name, *entry.aliases)


def test_there_is_no_page_of_what_is_no_function() -> None:
    assert function("nothing") is None
    assert function("scatter") is None
