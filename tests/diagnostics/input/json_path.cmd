diff 'sum(x)' --at x=@points.json:weights.v
