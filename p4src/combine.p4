/* Two times 32 elements of 32 bits (or 64 of 16, or 128 of 8), combined all at once in one wide word. */

const bit<1024> TOP_32 = 1024w0x8000000080000000800000008000000080000000800000008000000080000000_8000000080000000800000008000000080000000800000008000000080000000_8000000080000000800000008000000080000000800000008000000080000000_8000000080000000800000008000000080000000800000008000000080000000;
const bit<1024> TOP_16 = 1024w0x8000800080008000800080008000800080008000800080008000800080008000_8000800080008000800080008000800080008000800080008000800080008000_8000800080008000800080008000800080008000800080008000800080008000_8000800080008000800080008000800080008000800080008000800080008000;
const bit<1024> TOP_8  = 1024w0x8080808080808080808080808080808080808080808080808080808080808080_8080808080808080808080808080808080808080808080808080808080808080_8080808080808080808080808080808080808080808080808080808080808080_8080808080808080808080808080808080808080808080808080808080808080;

control Combine(in bit<1024> held, inout bit<1024> elements, in dropzero_h dropzero, in bit<1024> top) {
    apply {
        if (dropzero.operation == OPERATION_SUM) {
            /* With the top bits masked no carry can leave its element, and what a top bit becomes is the exclusive or of
               its two addends and the carry that reached it. */
            elements = ((held & ~top) + (elements & ~top)) ^ ((held ^ elements) & top);
        } else {
            /* Which elements of `held` are at least those of the packet? Signed numbers with their top bits flipped
               compare like unsigned ones. Where the top bits differ they decide; where not, the difference of the
               other bits, whose borrow stops at the top bit that was set to meet it. */
            bit<1024> a = held ^ top;
            bit<1024> b = elements ^ top;
            bit<1024> at_least = ((a & ~b) | (~(a ^ b) & ((a | top) - (b & ~top)))) & top;
            bit<1024> lowest = at_least >> 31;
            if (dropzero.width == WIDTH_16) {
                lowest = at_least >> 15;
            } else if (dropzero.width == WIDTH_8) {
                lowest = at_least >> 7;
            }
            /* From the top bit to all bits of the element. */
            bit<1024> keep = at_least | (at_least - lowest);
            if (dropzero.operation == OPERATION_MIN) {
                keep = ~keep;
            }
            elements = (held & keep) | (elements & ~keep);
        }
    }
}
