eval 'sine(x)' --at x=1
