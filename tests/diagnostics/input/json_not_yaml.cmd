diff 'sum(x)' --at 'x={a: 1}'
