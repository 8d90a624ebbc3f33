diff 'x + 1' --at x=nan --strict
