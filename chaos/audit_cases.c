/*
 * The catalogue of the audit: each fault of the registry, as it is tried on
 * a client, and what a client does that behaves.  A test holds the table
 * against the registry: no fault without a row, no row without a fault, no
 * attribute that the fault would refuse.
 *
 * A row says what is right in words; the rules that judge it are the same
 * for every row (conduct.c).
 */
#include "chaos/audit.h"

/* clang-format off */
static const struct audit_case cases[] = {	/* by fault, then by severity */
	{ "400 bad request", "http_error", "{\"status\":400}", AUDIT_FIRST, false,
	  "does not ask again, and fails" },
	{ "401 bad key", "http_error", "{\"status\":401}", AUDIT_FIRST, false,
	  "does not ask again, and fails" },
	{ "429, Retry-After: 1", "http_error", "{\"status\":429,\"retry_after\":\"1\"}", AUDIT_FIRST, false,
	  "asks again after a second or more" },
	{ "429, quota used up", "http_error", "{\"status\":429,\"body\":{\"error\":{\"message\":\"You exceeded your current quota, please check your plan and billing details.\",\"type\":\"insufficient_quota\",\"param\":null,\"code\":\"insufficient_quota\"}}}", AUDIT_FIRST, false,
	  "does not ask again: more requests bring no money" },
	{ "500", "http_error", "{\"status\":500}", AUDIT_FIRST, false,
	  "asks again after a moment" },
	{ "502, a CDN's page", "http_error", "{\"status\":502,\"provider\":\"cdn\"}", AUDIT_FIRST, false,
	  "asks again, whatever the body is" },
	{ "503", "http_error", "{\"status\":503}", AUDIT_FIRST, false,
	  "asks again after a moment" },
	{ "503, and again", "http_error", "{\"status\":503}", AUDIT_EVERY, false,
	  "waits longer each time, and gives up with an error" },
	{ "503, x-should-retry: false", "http_error", "{\"status\":503,\"headers\":{\"x-should-retry\":\"false\"}}", AUDIT_FIRST, false,
	  "believes it, and fails" },
	{ "529 overloaded", "http_error", "{\"status\":529,\"provider\":\"anthropic\"}", AUDIT_FIRST, false,
	  "asks again after a moment" },
	{ "a kernel quietly wrong", "kernel_corrupt", "{\"operator\":\"rope_interleaved\"}", AUDIT_FIRST, false,
	  "finds out by itself: nothing on the wire tells" },
	{ "300 ms late", "latency", "{\"latency\":300}", AUDIT_FIRST, true,
	  "waits" },
	{ "stream cut, connection closed", "sse_cut", "{\"after_events\":3,\"how\":\"fin\"}", AUDIT_FIRST, false,
	  "notices: asks again or fails" },
	{ "stream cut, connection reset", "sse_cut", "{\"after_events\":3,\"how\":\"rst\"}", AUDIT_FIRST, false,
	  "notices: asks again or fails" },
	{ "stream cut, clean end", "sse_cut", "{\"after_events\":3,\"how\":\"clean\"}", AUDIT_FIRST, false,
	  "notices that no finish_reason came" },
	{ "stream cut by an error event", "sse_cut", "{\"after_events\":3,\"how\":\"error_event\"}", AUDIT_FIRST, false,
	  "notices: asks again or fails" },
};
/* clang-format on */

size_t
audit_case_count(void)
{
	return sizeof cases / sizeof cases[0];
}

const struct audit_case *
audit_case_at(size_t i)
{
	return &cases[i];
}
