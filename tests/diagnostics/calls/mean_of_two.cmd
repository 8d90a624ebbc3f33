eval 'mean(a, b)' --at a=1 --at b=2.5
