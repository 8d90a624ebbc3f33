diff x --at x=1 --json --plain
