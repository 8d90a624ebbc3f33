eval 'e^-x y' --at x=1 --at y=2
