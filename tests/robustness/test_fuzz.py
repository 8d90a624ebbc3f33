"""Random command lines: a documented answer each, in bounded time and memory, and one number by every way to it."""

import json

import pytest

from tests.robustness.agreement import misprinted
from tests.robustness.outcome import complaint, line, run
from tests.robustness.settled import decided, discord, settled

SEED, RUNS, NUMBERS, BATCH = 20, 2000, 200, 100


@pytest.mark.parametrize("first", range(0, RUNS, BATCH))
def test_random_lines(monkeypatch, tmp_path, first):
    monkeypatch.chdir(tmp_path)
    for number in range(first, first + BATCH):
        again = line(SEED, number)
        done = run(*again)
        assert not complaint(again.words, done), (number, again, done)


@pytest.mark.parametrize("first", range(0, NUMBERS, BATCH))
def test_every_way_to_a_number_gives_the_same(monkeypatch, tmp_path, first):
    monkeypatch.chdir(tmp_path)
    judged = 0
    for number in range(first, first + BATCH):
        again = settled(SEED, number)
        done = run(*again)
        assert not discord(again.words, done), (number, again, done)
        judged += decided(again.words)
    assert judged > BATCH / 2  # the others use what NumPy does not have


@pytest.mark.parametrize(
    ("words", "right", "wrong"),
    [
        (["diff", "a*sum(x**2)", "--at", "a=2", "--at", "x=[1, 2.5]"], "7.25", "7.35"),
        (["jacobian", "[x, a*x]", "--at", "a=3", "--at", "x=[1, 2]"], "[0 3]", "[0 4]"),
        (["hessian", "a**2*sum(x**2)", "--at", "a=3", "--at", "x=[1, 2]"], "12 24", "12 25"),
        (["eval", "x > 1", "--at", "x=[1, 2]"], "False", "True"),
    ],
)
def test_a_misprint_is_found(monkeypatch, tmp_path, words, right, wrong):
    monkeypatch.chdir(tmp_path)
    document = json.loads(run([*words, "--json"]).out)
    table = run([*words, "--format", "table"]).out
    assert right in table
    assert misprinted(table, document, 6) == ""
    assert misprinted(table.replace(right, wrong), document, 6)


def test_a_line_is_always_the_same():
    assert line(1, 7) == line(1, 7) != line(2, 7)
