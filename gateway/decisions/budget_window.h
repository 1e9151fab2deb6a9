/*
 * The stretch of time in which something is counted: so many seconds, aligned
 * to the epoch, or the calendar month (UTC).
 */
#ifndef GATEWAY_BUDGET_WINDOW_H
#define GATEWAY_BUDGET_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define WINDOW_MONTH 0
#define WINDOW_DAY   86400
#define WINDOW_WEEK  604800

/* seconds WINDOW_MONTH: the month.  *until is the first second after it. */
void window_of(uint64_t seconds, uint64_t now_s, uint64_t *from,
    uint64_t *until);

/* Where a day begins, "2027-01-31", in milliseconds since the epoch.  False: the
 * calendar has no such day. */
bool window_day(const char *text, int64_t *ret_ms);

#endif
