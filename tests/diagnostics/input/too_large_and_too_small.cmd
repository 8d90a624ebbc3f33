eval 'x + 1e-400' --at x=[1,-1e400] --json
