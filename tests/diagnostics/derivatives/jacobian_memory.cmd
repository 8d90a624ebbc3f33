jacobian x --at 'x=rand(100000)'
