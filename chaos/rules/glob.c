/*
 * The text comes from clients, so matching must not be exponential: only the
 * last star is ever retried, which is enough because an earlier star could
 * never do better by taking more.
 */
#include "chaos/rules/glob.h"

bool
glob_match(const char *pattern, struct slice text)
{
	const char *star = NULL;
	size_t i = 0, retry = 0;

	while (i < text.n) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = i;
		} else if (*pattern &&
		    (*pattern == '?' || *pattern == text.p[i])) {
			pattern++;
			i++;
		} else if (star) {
			pattern = star;
			i = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
