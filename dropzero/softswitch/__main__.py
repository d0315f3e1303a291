"""python -m dropzero.softswitch: a drop-in for simple_switch_grpc."""

from dropzero.softswitch.cli import main

main()
