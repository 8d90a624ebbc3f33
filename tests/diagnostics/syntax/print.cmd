eval 'print(x)' --at x=1
