"""python -m softswitch: a drop-in for simple_switch_grpc."""

from softswitch.cli import main

main()
