"""Functions of the C library that compiled code calls. Pointers are numbers."""

from __future__ import annotations

from dropzero.native.intrinsics import external

malloc = external("malloc", "intp(intp)")
realloc = external("realloc", "intp(intp, intp)")
free = external("free", "void(intp)")
memcpy = external("memcpy", "intp(intp, intp, intp)")
read = external("read", "intp(intc, intp, intp)")
write = external("write", "intp(intc, intp, intp)")
writev = external("writev", "intp(intc, intp, intc)")
sendmmsg = external("sendmmsg", "intc(intc, intp, uintc, intc)")
recvmmsg = external("recvmmsg", "intc(intc, intp, uintc, intc, intp)")
poll = external("poll", "intc(intp, intp, intc)")
ppoll = external("ppoll", "intc(intp, intp, intp, intp)")
clock_gettime = external("clock_gettime", "intc(intc, intp)")
sched_yield = external("sched_yield", "intc()")
errno = external("__errno_location", "CPointer(intc)()")
