/*
 * A reliability surface: one scenario run again and again, with its faults
 * scaled, whole and with one defence off at a time.
 *
 * Each run has programs, a seed and a folder of its own, and what is measured
 * is read from the folders, so a study can be repeated and looked into.
 */
#ifndef AGENT_RELIABILITY_H
#define AGENT_RELIABILITY_H

#include "base/err.h"
#include <jansson.h>
#include <stddef.h>

#define RELIABILITY_FACTORS_MAX  16
#define RELIABILITY_VARIANTS_MAX 4

struct reliability { /* strings are borrowed */
	const char *scenario_file;
	const char *gateway_file; /* the gateway's configuration */
	const char *out;
	double factors[RELIABILITY_FACTORS_MAX];
	size_t nfactors;
	unsigned runs; /* of each point, 1 to 100 */
	/* The first one is whole (""), the others "retry", ... */
	const char *variants[RELIABILITY_VARIANTS_MAX];
	size_t nvariants;
	long jobs; /* operators at a time in a run; 0: as run decides */
};

/*
 * Runs it all and makes the study (docs/reliability.md has its keys), owned.
 * Says a line a run on standard error.  ERR_ENV: a program did not come up;
 * ERR_CLOSED: somebody asked to stop.
 */
enum err reliability_run(const struct reliability *r, json_t **ret,
    struct why *why);

/* The study as a picture, owned. */
char *reliability_svg(json_t *study);

#endif
