eval -f model.txt --at x=1 --at w=1 --at b=1
