/*
 * The catalogue of the audit: each fault of the registry, as it is tried on
 * a client, and what a client does that behaves.  A test holds the table
 * against the registry: no fault without a row, no row without a fault, no
 * attribute that the fault would refuse.
 *
 * A row says what is right in words; the rules that judge it are the same
 * for every row (retry_conduct.c).  Some faults cannot be seen in a client's
 * conduct at all (an event that is gone, a model's swapped name): their rows
 * show that the client lives through them.
 */
#include "chaos/trials/audit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define READ AUDIT_READ

#define QUOTA                                                                  \
	"{\"status\":429,\"body\":{\"error\":{\"message\":\"You exceeded "     \
	"your "                                                                \
	"current quota, please check your plan and billing details.\","        \
	"\"type\":\"insufficient_quota\",\"param\":null,"                      \
	"\"code\":\"insufficient_quota\"}}}"

/* clang-format off */
static const struct audit_case cases[] = {	/* sorted by fault */
	{ "2 KB a second", "bandwidth", "{\"rate\":2}", AUDIT_TOXIC, true, READ,
	  "waits: it comes", false },
	{ "read, and nothing said", "blackhole", "{}", AUDIT_FIRST, false, READ,
	  "gives up in time, then asks again or fails", true },
	{ "a page for a body", "body", "{\"html\":true}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "notices: asks again or fails", false },
	{ "a gzip body that is torn", "body", "{\"gzip_broken\":\"crc\"}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "notices: asks again or fails", false },
	{ "7 bytes at a time", "drip", "{\"bytes\":7,\"ms\":1}", AUDIT_FIRST, true, READ,
	  "puts the pieces together", false },
	{ "closed without an answer", "empty_reply", "{}", AUDIT_FIRST, false, READ,
	  "asks again", false },
	{ "bytes that are no HTTP", "garbage", "{}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "asks again or fails", false },
	{ "a head, then garbage", "garbage", "{\"with_headers\":true}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "asks again or fails", false },
	{ "no answer, ever", "header_stall", "{}", AUDIT_FIRST, false, READ,
	  "gives up in time, then asks again or fails", true },
	{ "400 bad request", "http_error", "{\"status\":400}", AUDIT_FIRST, false, READ,
	  "does not ask again, and fails", false },
	{ "401 bad key", "http_error", "{\"status\":401}", AUDIT_FIRST, false, READ,
	  "does not ask again, and fails", false },
	{ "429, Retry-After: 1", "http_error", "{\"status\":429,\"retry_after\":\"1\"}", AUDIT_FIRST, false, READ,
	  "asks again after a second or more", false },
	{ "429, quota used up", "http_error", QUOTA, AUDIT_FIRST, false, READ,
	  "does not ask again: more requests bring no money", false },
	{ "500", "http_error", "{\"status\":500}", AUDIT_FIRST, false, READ,
	  "asks again after a moment", false },
	{ "502, a CDN's page", "http_error", "{\"status\":502,\"provider\":\"cdn\"}", AUDIT_FIRST, false, READ,
	  "asks again, whatever the body is", false },
	{ "503", "http_error", "{\"status\":503}", AUDIT_FIRST, false, READ,
	  "asks again after a moment", false },
	{ "503, and again", "http_error", "{\"status\":503}", AUDIT_EVERY, false, READ,
	  "waits longer each time, and gives up with an error", false },
	{ "503, x-should-retry: false", "http_error", "{\"status\":503,\"headers\":{\"x-should-retry\":\"false\"}}", AUDIT_FIRST, false, READ,
	  "believes it, and fails", false },
	{ "529 overloaded", "http_error", "{\"status\":529,\"provider\":\"anthropic\"}", AUDIT_FIRST, false, READ,
	  "asks again after a moment", false },
	{ "comments for ever", "keepalive_only", "{\"ms\":100,\"after_events\":3}", AUDIT_FIRST, false, READ,
	  "gives up in time, then asks again or fails", true },
	{ "a kernel quietly wrong", "kernel_corrupt", "{\"operator\":\"rope_interleaved\"}", AUDIT_FIRST, false, READ,
	  "finds out by itself: nothing on the wire tells", false },
	{ "300 ms late", "latency", "{\"latency\":300}", AUDIT_FIRST, true, READ,
	  "waits", false },
	{ "slower with each one beside it", "latency_load", "{\"per_request\":100}", AUDIT_FIRST, true, READ,
	  "waits", false },
	{ "as late as it once was", "latency_recorded", "{\"samples\":[40,60,250]}", AUDIT_FIRST, true, READ,
	  "waits", false },
	{ "cut after 200 bytes", "limit_data", "{\"bytes\":200}", AUDIT_TOXIC, false, WORTH_TRUNCATED,
	  "notices: asks again, then fails", false },
	{ "all said, but no end", "linger", "{}", AUDIT_FIRST, true, READ,
	  "goes on: the answer said that it was over", false },
	{ "no content", "llm_empty", "{}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", false },
	{ "done, says a tool call", "llm_finish", "{\"reason\":\"stop\"}", AUDIT_FIRST, false, READ,
	  "goes by the call that is there, or fails", false },
	{ "a filter's word on a good answer", "llm_finish", "{\"reason\":\"content_filter\"}", AUDIT_FIRST, false, READ,
	  "shows the reason, or fails", false },
	{ "a tool that nobody offered", "llm_invented_tool", "{}", AUDIT_FIRST, false, READ,
	  "tells the model that there is none, or fails", false },
	{ "cut by max_tokens", "llm_length", "{\"bytes\":40}", AUDIT_FIRST, false, READ,
	  "looks at finish_reason: asks for the rest or fails", false },
	{ "the same call, for ever", "llm_loop", "{}", AUDIT_EVERY, false, READ,
	  "ends after so many turns", false },
	{ "another model's name", "llm_model_swap", "{\"model\":\"gpt-3.5-turbo\"}", AUDIT_FIRST, true, READ,
	  "may complain, must not break", false },
	{ "a megabyte of talk", "llm_oversize", "{\"bytes\":1000000}", AUDIT_FIRST, true, READ,
	  "takes it, or cuts it by itself", false },
	{ "a refusal", "llm_refusal", "{}", AUDIT_FIRST, false, READ,
	  "tells it from an answer", false },
	{ "the turn before again", "llm_stale", "{}", AUDIT_FIRST, true, READ,
	  "may notice, must not break", false },
	{ "cut tool arguments", "llm_tool_args", "{\"kind\":\"cut\"}", AUDIT_FIRST, false, READ,
	  "parses them before it acts on them", false },
	{ "usage gone", "llm_usage", "{\"how\":\"missing\"}", AUDIT_FIRST, true, READ,
	  "does without", false },
	{ "whole arguments that are wrong", "llm_wrong_args", "{}", AUDIT_FIRST, false, READ,
	  "finds out by itself: nothing on the wire tells", false },
	{ "a tool that fails", "mcp_error", "{}", AUDIT_FIRST, false, READ,
	  "tells the model, or fails", false },
	{ "instructions in a tool's result", "mcp_inject", "{}", AUDIT_FIRST, false, READ,
	  "takes them for data", false },
	{ "a tool's answer cut", "mcp_malformed", "{\"kind\":\"cut\"}", AUDIT_FIRST, false, READ,
	  "notices: fails", false },
	{ "a tool that hangs", "mcp_timeout", "{}", AUDIT_FIRST, false, READ,
	  "gives up in time", true },
	{ "a tool that is wrong", "mcp_wrong_result", "{}", AUDIT_FIRST, false, READ,
	  "finds out by itself: nothing on the wire tells", false },
	{ "nothing", "noop", "{}", AUDIT_TOXIC, true, READ,
	  "does its work", false },
	{ "429, one request a second", "quota", "{\"requests\":1,\"window_ms\":1000}", AUDIT_EVERY, false, READ,
	  "waits as long as Retry-After says", false },
	{ "reset at once", "refuse", "{}", AUDIT_FIRST, false, READ,
	  "asks again", false },
	{ "connection reset, always", "reset_peer", "{\"timeout\":200}", AUDIT_TOXIC, false, WORTH_NOTHING,
	  "asks again, then gives up with an error", false },
	{ "bad advice on a good answer", "retry_lie", "{\"retry_after\":\"86400\"}", AUDIT_FIRST, true, READ,
	  "takes the answer", false },
	{ "slices of 16 bytes", "slicer", "{\"average_size\":16,\"size_variation\":8,\"delay\":500}", AUDIT_TOXIC, true, READ,
	  "puts the pieces together", false },
	{ "the end held for 300 ms", "slow_close", "{\"delay\":300}", AUDIT_TOXIC, true, READ,
	  "does not wait for it", false },
	{ "cut, connection closed", "sse_cut", "{\"after_events\":3,\"how\":\"fin\"}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", false },
	{ "cut, connection reset", "sse_cut", "{\"after_events\":3,\"how\":\"rst\"}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", false },
	{ "cut, clean end", "sse_cut", "{\"after_events\":3,\"how\":\"clean\"}", AUDIT_FIRST, false, READ,
	  "notices that no finish_reason came", false },
	{ "cut by an error event", "sse_cut", "{\"after_events\":3,\"how\":\"error_event\"}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", false },
	{ "an event that is no JSON", "sse_mangle", "{\"how\":\"bad_json\",\"at\":3}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", false },
	{ "no blank line between two", "sse_mangle", "{\"how\":\"no_blank\",\"at\":3}", AUDIT_FIRST, false, WORTH_GOOD,
	  "reads both, or notices and fails", false },
	{ "CRLF line ends", "sse_mangle", "{\"how\":\"crlf\",\"at\":3}", AUDIT_FIRST, true, READ,
	  "reads on: the standard allows them", false },
	{ "an unknown event", "sse_mangle", "{\"how\":\"unknown_event\",\"at\":3}", AUDIT_FIRST, true, READ,
	  "passes it over", false },
	{ "silent in mid-stream, for good", "stall", "{\"after_events\":3}", AUDIT_FIRST, false, READ,
	  "gives up in time, then asks again or fails", true },
	{ "dropped, closed after 200 ms", "timeout", "{\"timeout\":200}", AUDIT_TOXIC, false, WORTH_NOTHING,
	  "asks again, then gives up with an error", false },
	{ "100 ms between two events", "token_latency", "{\"latency\":100}", AUDIT_FIRST, true, READ,
	  "waits", false },
	{ "first event after 300 ms", "ttft", "{\"ms\":300}", AUDIT_FIRST, true, READ,
	  "waits", false },
};
/* clang-format on */

size_t
audit_case_count(void)
{
	return COUNT(cases);
}

const struct audit_case *
audit_case_at(size_t i)
{
	return &cases[i];
}

/* Words in small letters, with a dash between them. */
void
audit_case_id(const struct audit_case *k, char out[AUDIT_ID_MAX])
{
	size_t n = (size_t)snprintf(out, AUDIT_ID_MAX, "%s:", k->fault);

	for (const char *p = k->name; *p && n + 1 < AUDIT_ID_MAX; p++) {
		bool is_word = isalnum((unsigned char)*p);

		if (!is_word && strchr("-:", out[n - 1]))
			continue;
		/* This bit makes a letter small, and leaves a digit. */
		out[n++] = (char)(is_word ? *p | 0x20 : '-');
	}
	if (out[n - 1] == '-')
		n--;
	out[n] = '\0';
}

bool
audit_case_holds(const struct audit_case *k, const char *word)
{
	char id[AUDIT_ID_MAX], label[AUDIT_ID_MAX];

	audit_case_id(k, id);
	snprintf(label, sizeof label, "%s: %s", k->fault, k->name);
	return strstr(label, word) || strstr(id, word);
}
