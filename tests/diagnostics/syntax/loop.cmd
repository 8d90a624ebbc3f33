eval 'for i in x: i' --at x=1
