eval 'frobnicate(x)' --at x=1
