eval x --at x=1 --wrt x
