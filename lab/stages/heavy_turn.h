/*
 * One heavy thing at a time, however many labs a program has open: the builds
 * of a candidate in all its storage types (twenty megabytes a child that only
 * it has, while it compiles), a case of more than half a million elements (its
 * reference and bounds in double), or, of labs that do everything in turn, a
 * look by Oclgrind (eighty megabytes).  Two at once would be most of what a
 * run takes of memory, and are no faster: each alone has work for the cores.
 */
#ifndef LAB_HEAVY_TURN_H
#define LAB_HEAVY_TURN_H

/* Waits until nobody else has it.  Not to be taken twice by one thread. */
void heavy_turn_take(void);
void heavy_turn_end(void);

#endif
