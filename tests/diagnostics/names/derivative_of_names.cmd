eval 'dy/dx' --at x=1
