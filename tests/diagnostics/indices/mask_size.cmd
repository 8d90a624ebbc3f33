eval 'x[m]' --at 'x=[1, 2]' --at 'm=[True, False, True]'
