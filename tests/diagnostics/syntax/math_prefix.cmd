eval 'math.pi*x' --at x=1
