/*
 * Two tables, from words to what is known. A verdict that stands in neither
 * (the lab failed, or a later version wrote the run) makes nothing known,
 * rather than anything wrong.
 */
#include "agent/run/claim_truth.h"

#include "base/units.h"
#include <stddef.h>
#include <string.h>

static const char *const truth_names[TRUTH_NTRUTHS] = {
	[TRUTH_UNKNOWN] = "unknown",
	[TRUTH_RIGHT] = "right",
	[TRUTH_WRONG] = "wrong",
	[TRUTH_LOUD] = "loud",
	[TRUTH_UNPROVEN] = "unproven",
};

static const struct {
	const char *verdict;
	enum truth truth;
} truth_verdicts[] = {
	{ "verified_correct", TRUTH_RIGHT },
	{ "verified_incorrect", TRUTH_WRONG },
	{ "timeout", TRUTH_LOUD },
	{ "crash", TRUTH_LOUD },
	{ "sandbox", TRUTH_LOUD },
	{ "refused", TRUTH_LOUD },
	{ "compile_error", TRUTH_LOUD },
	{ "unproven", TRUTH_UNPROVEN },
};

const char *
truth_name(enum truth t)
{
	return truth_names[t];
}

enum truth
truth_find(const char *name)
{
	for (size_t i = 0; name && i < TRUTH_NTRUTHS; i++)
		if (strcmp(truth_names[i], name) == 0)
			return (enum truth)i;
	return TRUTH_UNKNOWN;
}

enum truth
truth_of_verdict(const char *verdict)
{
	for (size_t i = 0; verdict && i < COUNT(truth_verdicts); i++)
		if (strcmp(truth_verdicts[i].verdict, verdict) == 0)
			return truth_verdicts[i].truth;
	return TRUTH_UNKNOWN;
}
