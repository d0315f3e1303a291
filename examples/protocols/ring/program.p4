/* A ring: the switch only forwards. */

#define PORT  0x4169
#define CELLS 1
#include "../udp.p4"
#include "../forward.p4"
