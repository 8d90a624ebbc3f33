eval 'x⁻¹' --at x=2
