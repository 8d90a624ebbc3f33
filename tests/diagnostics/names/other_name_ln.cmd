eval 'ln(x)' --at x=1
