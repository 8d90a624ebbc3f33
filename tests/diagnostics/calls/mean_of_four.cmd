eval 'mean(a, b, a, b)' --at a=1 --at b=2.5
