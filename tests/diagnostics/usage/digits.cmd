diff x --at x=1 --digits 40
