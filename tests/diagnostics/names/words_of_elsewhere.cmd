eval 'where(true, x, null)' --at x=2
