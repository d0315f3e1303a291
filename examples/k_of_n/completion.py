"""The rule of completion.p4 for the model of the switch, with which the tests compare the compiled program."""

from dropzero.protocol.completion import Completion

K = 3
K_OF_N = Completion(lambda seen, members: seen.bit_count() >= K or seen == members, max_lag=0x7FFFFFFF)
