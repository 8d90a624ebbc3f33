diff 'a*x + b' --at x=1
