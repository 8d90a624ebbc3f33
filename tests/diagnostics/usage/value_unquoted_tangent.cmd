jvp 'x**2' --at 'x=[1, 2]' --tangent x=randn( 2 )
