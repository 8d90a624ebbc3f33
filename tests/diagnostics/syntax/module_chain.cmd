eval 'np.linalg.det(x) + 1' --at x=1
