jacobian x --at x=1 --mode forward
