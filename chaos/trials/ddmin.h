/*
 * Delta debugging (Zeller and Hildebrandt's ddmin): the smallest part of a
 * set that still fails, in the sense that leaving out any one more item makes
 * it pass.  Pure but for the test that the caller gives.
 */
#ifndef CHAOS_DDMIN_H
#define CHAOS_DDMIN_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

/*
 * Does the part with keep[i] true still fail?  An error ends the search.
 */
typedef enum err ddmin_test(const bool *keep, size_t n, bool *ret_fails,
    void *arg);

/*
 * keep: n flags, all true at the start; what is true at the end is minimal.
 * The whole set must fail, and the empty one pass: that is the caller's to
 * check.  On an error keep holds the smallest failing part so far.
 */
enum err ddmin(bool *keep, size_t n, ddmin_test *fails, void *arg);

#endif
