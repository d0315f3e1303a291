"""The rule of completion.p4 once more, for the model of the switch that the tests compare it with."""

from dropzero.protocol.completion import Completion

K = 3
K_OF_N = Completion(lambda seen, members: seen.bit_count() >= K or seen == members, max_lag=0x7FFFFFFF)
