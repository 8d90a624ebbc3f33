eval '9007199254740993*x' --at x=1 --plain
