diff 'sum(x)' --at x=@null.json --json
