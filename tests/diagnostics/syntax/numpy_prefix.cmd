eval 'np.sin(x)' --at x=1
