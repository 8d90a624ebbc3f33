eval 'x*sinx' --at x=2
