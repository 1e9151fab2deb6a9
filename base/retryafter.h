/*
 * How long an answer asks its client to wait (RFC 9110 section 10.2.3).
 *
 * Providers say it in three ways: Retry-After in seconds (some with
 * decimals), Retry-After as one of HTTP's three date formats, and
 * retry-after-ms.  Agent, gateway and chaos proxy must read them alike: a
 * client that one of them believes to be early is early for all.
 */
#ifndef BASE_RETRYAFTER_H
#define BASE_RETRYAFTER_H

#include "base/slice.h"
#include <stdint.h>

/*
 * The wait in milliseconds, rounded up, or -1 when none is said that can be
 * understood.  ms is the value of retry-after-ms, seconds_or_date that of
 * Retry-After; empty ones are absent.  The more exact one wins when it can be
 * read.  A date lies now_s (Unix time) or later; an earlier one is no wait: 0.
 */
int64_t retryafter_ms(struct slice ms, struct slice seconds_or_date,
    uint64_t now_s);

/* A decimal number of units, "12.3456", in milliseconds, rounded up; -1. */
int64_t retryafter_number(struct slice text, int64_t unit_ms);

#endif
