eval 'ｘ + 1' --at x=1
