/* A round is complete when K workers have contributed to it, or all there are. */

const bit<32> K = 3;

/* A round completes without some of the workers, so these may be any number of rounds behind. */
const bit<32> MAX_LAG = 0x7FFFFFFF;

control Completion(in bit<32> seen, in bit<32> members, out bit<1> complete) {
    apply {
        /* How many bits are set: first in each pair of them, then in each four, in each byte, in all. */
        bit<32> count = seen - ((seen >> 1) & 0x55555555);
        count = (count & 0x33333333) + ((count >> 2) & 0x33333333);
        count = (count + (count >> 4)) & 0x0F0F0F0F;
        count = (count * 0x01010101) >> 24;
        complete = (count >= K || seen == members) ? 1w1 : 1w0;
    }
}
