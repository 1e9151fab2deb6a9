/*
 * Ending with the program that started us.
 *
 * A script that is killed outright (SIGKILL, a closed terminal) cannot stop
 * what it has started; so it says who it is (--with-parent $$), and the
 * kernel tells us when it is gone.  A process that forks says its own id.
 */
#ifndef BASE_END_WITH_PARENT_H
#define BASE_END_WITH_PARENT_H

#include <stdint.h>

/* Signal (SIGTERM to end in order, SIGKILL at once) comes to us once process
 * pid, our parent, ends; at once when it is our parent no more.  0: nothing
 * happens. */
void end_with_parent(int64_t pid, int signal);

#endif
