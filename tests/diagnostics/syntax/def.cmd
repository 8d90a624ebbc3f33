eval 'def f(a): return a' --at x=1
