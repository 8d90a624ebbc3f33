diff x --at 'x=f(a)=a; f(2)'
