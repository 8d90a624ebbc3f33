eval 'n[0] = x; n' --at x=1
