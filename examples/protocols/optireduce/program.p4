/* OptiReduce: the switch only forwards. */

#define PORT  0x0B11
#define CELLS 1
#include "../udp.p4"
#include "../forward.p4"
