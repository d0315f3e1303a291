/* Combines 32 elements of 32 bits (or 64 of 16, or 128 of 8) with as many others, in one operation on wide words. */

const bit<1024> TOP_32 = 1024w0x8000000080000000800000008000000080000000800000008000000080000000_8000000080000000800000008000000080000000800000008000000080000000_8000000080000000800000008000000080000000800000008000000080000000_8000000080000000800000008000000080000000800000008000000080000000;
const bit<1024> TOP_16 = 1024w0x8000800080008000800080008000800080008000800080008000800080008000_8000800080008000800080008000800080008000800080008000800080008000_8000800080008000800080008000800080008000800080008000800080008000_8000800080008000800080008000800080008000800080008000800080008000;
const bit<1024> TOP_8  = 1024w0x8080808080808080808080808080808080808080808080808080808080808080_8080808080808080808080808080808080808080808080808080808080808080_8080808080808080808080808080808080808080808080808080808080808080_8080808080808080808080808080808080808080808080808080808080808080;

control Combine(in bit<1024> held, inout bit<1024> elements, in dropzero_h dropzero, in bit<1024> top) {
    apply {
        if (dropzero.operation == OPERATION_SUM) {
            /* Without the top bits, no carry leaves its element. The top bit of a sum is the exclusive or of the two
               addends' top bits and the carry into it. */
            elements = ((held & ~top) + (elements & ~top)) ^ ((held ^ elements) & top);
        } else if (dropzero.operation == OPERATION_OR) {
            elements = held | elements;
        } else {
            /* Find the elements of `held` that are at least those of the packet. With their top bits flipped, signed
               numbers compare like unsigned ones. If the top bits differ, they decide. If not, the difference of the
               other bits does: its borrow stops at the top bit, which is set for that. */
            bit<1024> a = held ^ top;
            bit<1024> b = elements ^ top;
            bit<1024> at_least = ((a & ~b) | (~(a ^ b) & ((a | top) - (b & ~top)))) & top;
            bit<1024> lowest = at_least >> 31;
            if (dropzero.width == WIDTH_16) {
                lowest = at_least >> 15;
            } else if (dropzero.width == WIDTH_8) {
                lowest = at_least >> 7;
            }
            /* Spread the top bit to all bits of its element. */
            bit<1024> keep = at_least | (at_least - lowest);
            if (dropzero.operation == OPERATION_MIN) {
                keep = ~keep;
            }
            elements = (held & keep) | (elements & ~keep);
        }
    }
}
