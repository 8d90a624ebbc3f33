eval 'x² + 1' --at x=1
