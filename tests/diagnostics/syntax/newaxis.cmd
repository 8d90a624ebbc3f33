eval 'x[:, np.newaxis]' --at 'x=[1, 2]'
