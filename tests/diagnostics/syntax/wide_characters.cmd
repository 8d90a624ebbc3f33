eval 'τ = x; τ + 変数 + 1' --at x=1
