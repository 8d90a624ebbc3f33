diff x --at x=1 --color yes
