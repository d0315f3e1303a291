/* When a round is complete. docs/protocol.md says what relies on it; examples/k_of_n/ has another rule.
   Once more, for Python, in protocol/completion.py; tests hold the two together. */

/* How many rounds a worker may be behind the one that is collected and still get an answer: the result of the round before
   that one. Nobody is further behind where every round waits for all, so what looks so is a packet that was delayed. */
const bit<32> MAX_LAG = 1;

/* seen, members: one bit a worker. */
control Completion(in bit<32> seen, in bit<32> members, out bit<1> complete) {
    apply {
        complete = (seen == members) ? 1w1 : 1w0;
    }
}
