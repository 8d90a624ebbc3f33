eval 'sin 2x' --at x=2
