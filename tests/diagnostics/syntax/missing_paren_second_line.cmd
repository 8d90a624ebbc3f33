eval 'a = sin(x
b = 3
a + b' --at x=1
