"""The progress bar, on a screen that keeps what it shows."""

import io

from gradcli.render.progress import Bar


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_says_how_far_it_is() -> None:
    screen = Screen()
    bar = Bar(2000, screen, color=False)
    bar.show(512, 5.0)
    bar.close()
    assert "512 of 2,000 rows, 102 rows/s, 0:15 left" in screen.getvalue()
