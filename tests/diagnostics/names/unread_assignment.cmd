eval 'tmp = x + 1
temp = x + 2
temp' --at x=1
