diff 'x*y' --data points.json
