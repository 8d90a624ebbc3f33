eval 'x sin(x)' --at x=2
