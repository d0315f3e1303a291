/* The sum of each word of the half's block, which replaces the packet's word. */

control Block(inout packet_t hdr, inout state_t meta) {
#define SUM(I) \
    REGISTER(sum##I, HALVES) \
    UPDATE(set##I, sum##I, HALF, hdr.block.w##I, value = hdr.block.w##I; result = value;) \
    UPDATE(clear##I, sum##I, HALF, hdr.block.w##I, value = 0; result = value;) \
    UPDATE(add##I, sum##I, HALF, hdr.block.w##I, value = value + hdr.block.w##I; result = value;) \
    UPDATE(read##I, sum##I, HALF, hdr.block.w##I, result = value;) \
    table combine##I { \
        key = { meta.step: exact; meta.shape: exact; } \
        actions = { set##I; clear##I; add##I; read##I; NoAction; } \
        const entries = { \
            (STEP_BEGIN, SHAPE_BLOCK): set##I(); \
            (STEP_BEGIN, SHAPE_BARE): clear##I(); \
            (STEP_JOIN, SHAPE_BLOCK): add##I(); \
            (STEP_JOIN, SHAPE_BARE): read##I(); \
            (STEP_READ, SHAPE_BLOCK): read##I(); \
            (STEP_READ, SHAPE_BARE): read##I(); \
            (STEP_READ, SHAPE_RESULT): read##I(); \
        } \
        const default_action = NoAction; \
        size = 8; \
    }
    EACH_WORD(SUM)
#undef SUM

    apply {
        /* An answer may have a block that its packet has not. */
        hdr.block.setValid();
#define SUM(I) combine##I.apply();
        EACH_WORD(SUM)
#undef SUM
    }
}
