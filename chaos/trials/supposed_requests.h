/*
 * Requests that nobody sent: lines of JSON, for plan and explain.
 *
 *	{"proxy": "models", "method": "POST", "path": "/v1/chat/completions",
 *	 "headers": {"x-session-id": "s1"}, "body": {...}}
 *
 * Only `proxy` is required where a scenario has more than one; method and
 * path default to those above, body is any JSON, or a string as it is.
 */
#ifndef CHAOS_SUPPOSED_REQUESTS_H
#define CHAOS_SUPPOSED_REQUESTS_H

#include "chaos/rules/request_facts.h"
#include "chaos/rules/scenario.h"

struct supposed_request {
	struct http1_head head;
	struct facts facts; /* points into the rest */
	json_t *doc;        /* owned */
	char *body;         /* owned */
};

/* All lines of a file, *n of them; the caller frees them with
 * supposed_requests_free. ERR_SYNTAX names the line. */
enum err supposed_requests_read(const char *path, const struct scenario *s,
    struct supposed_request **ret, size_t *n, struct why *why);
void supposed_requests_free(struct supposed_request *a,
    size_t n); /* NULL-safe */

#endif
