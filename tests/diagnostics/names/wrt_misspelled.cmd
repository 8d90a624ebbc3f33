diff 'speed**2' --at speed=1 --wrt sped
