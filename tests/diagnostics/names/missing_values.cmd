diff 'alpha*x + beta*y' --at alpha=1
