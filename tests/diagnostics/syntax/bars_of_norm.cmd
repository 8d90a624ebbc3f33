eval '‖x‖' --at 'x=[1, 2]'
