/* One column of a slot: the smallest next block announced so far, and the sum of the data so far.

   When a round is complete and no worker has a next block, the column is assigned the job's next chunk of blocks. The
   assignment is stored like an announcement, so that a replay repeats it. Only the workers know how many chunks there
   are: an assigned chunk that does not exist ends the column. */

control Column(inout column_h column, inout data_h data, in dropzero_h dropzero, in metadata_t meta,
               in bit<1> before, in bit<1> after, inout bit<32> assigned) {
    /* next ++ ~exponent: the least of these has the smallest next and, among equal ones, the largest exponent. */
    register<bit<40>>(HALVES) announced;
    register<bit<1024>>(HALVES) sum;

    Combine() combine;

    apply {
        if (meta.contribute == 1) {
            if (column.isValid()) {
                bit<40> least;
                bit<40> mine = column.next ++ ~column.exponent;
                announced.read(least, meta.half);
                if (meta.first == 1 || mine < least) {
                    announced.write(meta.half, mine);
                }
            }
            if (data.isValid()) {
                if (before == 1) {
                    bit<1024> held;
                    sum.read(held, meta.half);
                    combine.apply(held, data.elements, dropzero, meta.top);
                }
                sum.write(meta.half, data.elements);
            }
        }
        if (meta.recall == 1) {
            if (column.isValid()) {
                bit<40> least;
                announced.read(least, meta.half);
                if (meta.assign == 1 && least[39:8] == NO_BLOCK) {
                    least[39:8] = assigned | ASSIGNED;
                    announced.write(meta.half, least);
                    assigned = assigned + 1;
                }
                column.next = least[39:8];
                column.exponent = ~least[7:0];
            }
            if (after == 1) {
                data.setValid();
                sum.read(data.elements, meta.half);
            } else {
                data.setInvalid();
            }
        }
    }
}
