eval '0xff + x' --at x=1
