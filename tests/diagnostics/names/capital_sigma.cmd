eval 'Σ(x)' --at 'x=[1, 2]'
