eval 'foo(x + 1)' --at x=2
