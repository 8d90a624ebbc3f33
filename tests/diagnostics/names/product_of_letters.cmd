eval 'xy + x + y' --at x=2 --at y=3
