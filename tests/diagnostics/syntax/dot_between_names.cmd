eval 'x . y' --at x=2 --at y=3
