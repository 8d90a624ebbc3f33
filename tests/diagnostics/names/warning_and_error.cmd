diff 'u = 2; x*w' --at x=1 --at y=2 --json
