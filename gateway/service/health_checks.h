/*
 * Providers that say `health_check` are asked every so often, whether requests
 * come or not.  One that fails so many times in a row is down: its targets are
 * skipped; one that is down and answers so many times in a row is asked again.
 *
 * What a check finds is kept beside the breaker (target_health.h) and is apart
 * from it: a breaker learns from requests, and lets one try.
 */
#ifndef GATEWAY_HEALTH_CHECKS_H
#define GATEWAY_HEALTH_CHECKS_H

struct gateway;
struct health_checks;

struct health_checks *health_checks_new(struct gateway *g);
/* The configuration is another one: every check begins anew, and who is down
 * stays so until it answers.  Nobody checks what is down no more: it is up. */
void health_checks_bind(struct health_checks *h);
/* Before the pool goes; NULL-safe. */
void health_checks_free(struct health_checks *h);

#endif
