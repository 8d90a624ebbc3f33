eval 'x.grad' --at x=2
