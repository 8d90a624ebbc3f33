eval '∫ x' --at x=1
