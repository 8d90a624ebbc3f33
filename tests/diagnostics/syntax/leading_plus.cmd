eval 'y = x
+ 1' --at x=1
