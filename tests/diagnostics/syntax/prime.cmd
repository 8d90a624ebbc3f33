eval 'x′' --at x=2
