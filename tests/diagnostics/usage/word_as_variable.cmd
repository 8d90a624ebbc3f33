diff 'x**2' --at x=1 --wrt not --json
