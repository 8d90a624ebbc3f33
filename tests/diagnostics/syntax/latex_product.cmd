eval '2 \cdot x' --at x=1
