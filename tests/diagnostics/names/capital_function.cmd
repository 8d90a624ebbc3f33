eval 'Sin(x)' --at x=1
