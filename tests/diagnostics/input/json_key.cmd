diff 'sum(x)' --at x=@points.json:y
