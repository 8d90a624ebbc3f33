eval 'sin x' --at x=2
