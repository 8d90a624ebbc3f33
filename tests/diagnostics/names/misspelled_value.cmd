diff 'rate*x' --at x=1 --at rat=2
