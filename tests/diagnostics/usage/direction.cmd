jvp x --at x=1 --direction x=1
