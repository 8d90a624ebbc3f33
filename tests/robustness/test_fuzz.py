"""Two thousand random command lines: a documented answer each, in bounded time and memory."""

import pytest

from tests.robustness.outcome import complaint, line, run

SEED, RUNS, BATCH = 20, 2000, 100


@pytest.mark.parametrize("first", range(0, RUNS, BATCH))
def test_random_lines(monkeypatch, tmp_path, first):
    monkeypatch.chdir(tmp_path)
    for number in range(first, first + BATCH):
        again = line(SEED, number)
        done = run(*again)
        assert not complaint(again.words, done), (number, again, done)


def test_a_line_is_always_the_same():
    assert line(1, 7) == line(1, 7) != line(2, 7)
