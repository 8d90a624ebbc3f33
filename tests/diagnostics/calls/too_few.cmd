eval 'atan2(x)' --at x=1
