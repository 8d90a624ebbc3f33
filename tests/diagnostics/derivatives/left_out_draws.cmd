diff 'x*sum(uniform(low, 2, [3]) > 5)' --at x=1 --at low=0 --plain
