hessian 'gammainc(a, x)' --at a=2 --at x=1
