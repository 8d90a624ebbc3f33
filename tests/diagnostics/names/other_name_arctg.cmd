eval 'arctg(x)' --at x=1
