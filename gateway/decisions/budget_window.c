/* Weeks begin on Thursdays, as the epoch did: a week is seven days, no more. */
#include "gateway/decisions/budget_window.h"

#include <string.h>
#include <time.h>

#define DAY_LETTERS 10

static void
month_of(uint64_t now_s, uint64_t *from, uint64_t *until)
{
	time_t now = (time_t)now_s;
	struct tm tm;

	gmtime_r(&now, &tm);
	tm.tm_mday = 1;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	*from = (uint64_t)timegm(&tm);
	tm.tm_mon++;
	*until = (uint64_t)timegm(&tm);
}

/* timegm takes the 30th of February for a day of March. */
bool
window_day(const char *text, int64_t *ret_ms)
{
	struct tm day = { 0 }, same;
	const char *end = strptime(text, "%Y-%m-%d", &day);

	/* strptime() takes a month of one digit, and blanks. */
	if (!end || *end || strlen(text) != DAY_LETTERS ||
	    strspn(text, "0123456789-") != DAY_LETTERS)
		return false;
	same = day;
	*ret_ms = (int64_t)timegm(&same) * 1000;
	return same.tm_mday == day.tm_mday && same.tm_mon == day.tm_mon;
}

void
window_of(uint64_t seconds, uint64_t now_s, uint64_t *from, uint64_t *until)
{
	/* The calendar is dear, and asked some times a request. */
	static _Thread_local uint64_t month_from, month_until;

	if (seconds != WINDOW_MONTH) {
		*from = now_s - now_s % seconds;
		*until = *from + seconds;
		return;
	}
	if (now_s < month_from || now_s >= month_until)
		month_of(now_s, &month_from, &month_until);
	*from = month_from;
	*until = month_until;
}
