diff 'pi*x' --at x=1 --wrt pi
