diff 'x*y' --at x=1 --at y=x
