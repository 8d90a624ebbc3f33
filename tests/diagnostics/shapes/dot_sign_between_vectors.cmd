eval 'sum(x·y)' --at 'x=[1, 2]' --at 'y=[3, 4]' --json
