/* Emulates the loss of a link: drops each packet with a probability, given in units of 2^-32. */

control Loss(out bit<1> lost) {
    bit<32> threshold = 0;

    action drop_with(bit<32> probability) {
        threshold = probability;
    }

    table probability {
        actions = { drop_with; }
        default_action = drop_with(0);
    }

    apply {
        lost = 0;
        probability.apply();
        if (threshold != 0) {
            bit<32> draw;
            random(draw, 0, 0xFFFFFFFF);
            if (draw < threshold) {
                lost = 1;
            }
        }
    }
}
