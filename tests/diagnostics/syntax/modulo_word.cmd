eval 'x mod 3' --at x=2
