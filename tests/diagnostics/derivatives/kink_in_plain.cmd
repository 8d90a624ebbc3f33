diff 'abs(x)' --at x=0 --plain
