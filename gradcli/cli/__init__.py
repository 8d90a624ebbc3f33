"""The command line: options in, a mode called, a renderer's text out. No mathematics."""
