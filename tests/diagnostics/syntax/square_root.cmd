eval '√x' --at x=4
