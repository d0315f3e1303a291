/* Computes the UDP length of a Dropzero packet from its header, in bytes. */

control Length(in dropzero_h dropzero, out bit<16> length) {
    apply {
        length = 32 + 9 * (bit<16>)dropzero.columns
            + 128 * ((bit<16>)dropzero.mask[0:0] + (bit<16>)dropzero.mask[1:1] + (bit<16>)dropzero.mask[2:2]
                   + (bit<16>)dropzero.mask[3:3] + (bit<16>)dropzero.mask[4:4] + (bit<16>)dropzero.mask[5:5]
                   + (bit<16>)dropzero.mask[6:6] + (bit<16>)dropzero.mask[7:7]);
    }
}
