/*
 * A lab's scratch folder, $TMPDIR/kf-lab-XXXXXX.
 *
 * A process that is killed cannot remove its folder, so whoever opens the next
 * lab does.  A folder is somebody's while it is locked: the lock lives on the
 * folder itself, is inherited by the zygotes, and goes with the last process
 * that has it, which no process number could tell (containers share /tmp).
 */
#ifndef LAB_SCRATCH_H
#define LAB_SCRATCH_H

#include "base/err.h"

/* Makes a locked folder: *ret is its whole path (owned), *ret_fd holds the
 * lock.  Sweeps those of this user that nobody holds.  ERR_IO. */
enum err scratch_make(char **ret, int *ret_fd, struct why *why);

/* Removes this user's kf-lab-* folders in $TMPDIR that nobody holds. */
void scratch_sweep(void);

#endif
