"""Results as text: JSON, tables, trees, rows, diagrams and diagnostics. Computes nothing, prints nothing."""
