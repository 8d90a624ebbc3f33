eval 'x!' --at x=3
