/*
 * Faults that a request asks for itself, where its proxy allows it
 * ("header_faults": true):
 *
 *	x-chaos-fault: TYPE;KEY=VALUE;KEY=VALUE
 *	x-envoy-fault-delay-request: MS
 *	x-envoy-fault-abort-request: STATUS
 *	x-envoy-fault-throughput-response: KIB_PER_S
 *
 * They come before every rule, and the headers never reach an upstream.
 */
#ifndef CHAOS_FAULTS_BY_HEADER_H
#define CHAOS_FAULTS_BY_HEADER_H

#include "chaos/rules/request_facts.h"
#include "chaos/rules/scenario.h"

/*
 * Fills in a rule named after the headers with their faults, which may be
 * none; free with headerfault_done.  ERR_SYNTAX and ERR_RANGE: the header and
 * what is wrong with it.
 */
struct headerfault; /* owns a rule and the JSON its strings stand in */
enum err headerfault_read(struct facts *f, struct headerfault **ret,
    struct why *why);
/* NULL-safe; NULL when the request asks for nothing. */
const struct rule *headerfault_rule(const struct headerfault *h);
void headerfault_free(struct headerfault *h); /* NULL-safe */

#endif
