/* Decides when a round is complete. docs/protocol.md says what relies on it; examples/k_of_n/ has another rule.
   protocol/completion.py says the same in Python; tests compare the two. */

/* The rounds that a worker may be behind the current one and still get an answer, which is the previous round's result.
   Here every round waits for all workers, so a packet that is further behind has been delayed. */
const bit<32> MAX_LAG = 1;

/* seen, members: one bit per worker. */
control Completion(in bit<32> seen, in bit<32> members, out bit<1> complete) {
    apply {
        complete = (seen == members) ? 1w1 : 1w0;
    }
}
