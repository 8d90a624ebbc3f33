diff --at x=1
