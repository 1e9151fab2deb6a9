/*
 * Whose fault is it that a launch fails on the device: the kernel's, or the
 * device compiler's?
 *
 * PoCL's usual work-item loops get some correct kernels wrong: where a barrier
 * lies behind a way out of the kernel ("if (row >= rows) return;"), a branch
 * after it may follow what the group's first item does, or a group that has
 * left runs on (PoCL 3.1).  What is judged is compiled another way (device.h),
 * of which no such case is known; other devices have ways of their own.  So a
 * kernel with barriers whose launch fails is run
 * again, whole, by the lab's own machine, on the very same case: what fails
 * there too is the kernel's.  Where the machine finds nothing, and values that
 * are right, it takes the device's place for that storage type from here on,
 * and the report says so.
 *
 * What is merely inaccurate stays so: another rounding acquits nobody.  Asked
 * once a storage type: what fails behind the first is not PoCL's any more.
 */
#ifndef LAB_DEVICE_FALLBACK_H
#define LAB_DEVICE_FALLBACK_H

#include "lab/stages/trial_launch.h"

/*
 * A case failed on the device as o says.  true: not by the kernel's fault;
 * tc->got holds right values, and trial_launch() uses the machine for this
 * storage type.
 */
bool fallback_acquits(struct trial *t, struct trial_case *tc,
    const struct trial_outcome *o);

/*
 * A launch ended at an invalid address, and a device says no more: where the
 * machine finds an access that is not aligned there, that is what it was.
 */
void fallback_names(struct trial *t, const struct trial_case *tc,
    struct trial_outcome *o);

#endif
