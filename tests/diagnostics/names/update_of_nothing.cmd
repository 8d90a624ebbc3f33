eval 'total += x; total' --at x=1
