eval '\alpha + x' --at x=1
