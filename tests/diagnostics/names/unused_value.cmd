diff 'lamda*x' --at x=1 --at lamda=2 --at lambda_=3
