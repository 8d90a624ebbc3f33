diff 'sum(x[m])' --at 'x=[1, 2]' --at 'm=[True, False]' --wrt m
