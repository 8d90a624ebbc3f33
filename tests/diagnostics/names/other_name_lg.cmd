eval 'lg(x)' --at x=2
