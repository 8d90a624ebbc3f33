eval 'x.backward()' --at x=1
