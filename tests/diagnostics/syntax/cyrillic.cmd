eval 'х + 1' --at x=1
