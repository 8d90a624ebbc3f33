jacobian x --at x=1 --sparse
