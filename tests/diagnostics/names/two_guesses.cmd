eval 'tahn(x)' --at x=2
