diff 'mean(y - x@w)' --at 'x=randn(10, 20)' --at 'w=randn(5, 20)' --at 'y=randn(10, 5)'
