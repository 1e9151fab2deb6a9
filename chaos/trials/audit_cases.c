/*
 * The catalogue of the audit: each fault of the registry, as it is tried on
 * a client, and what a client does that behaves.  A test holds the table
 * against the registry: no fault without a row, no row without a fault, no
 * attribute that the fault would refuse.
 *
 * A row says what is right in words; the rules that judge it are the same
 * for every row (conduct.c).  Some faults cannot be seen in a client's
 * conduct at all (an event that is gone, a model's swapped name): their rows
 * show that the client lives through them.
 */
#include "chaos/trials/audit.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
	  "waits: it comes", AUDIT_SEEN },
	{ "read, and nothing said", "blackhole", "{}", AUDIT_FIRST, false, READ,
	  "gives up in time, then asks again or fails", AUDIT_SILENT },
	{ "a page for a body", "body", "{\"html\":true}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "notices: asks again or fails", AUDIT_SEEN },
	{ "a gzip body that is torn", "body", "{\"gzip_broken\":\"crc\"}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "notices: asks again or fails", AUDIT_SEEN },
	{ "7 bytes at a time", "drip", "{\"bytes\":7,\"ms\":1}", AUDIT_FIRST, true, READ,
	  "puts the pieces together", AUDIT_SEEN },
	{ "closed without an answer", "empty_reply", "{}", AUDIT_FIRST, false, READ,
	  "asks again", AUDIT_SEEN },
	{ "bytes that are no HTTP", "garbage", "{}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "asks again or fails", AUDIT_SEEN },
	{ "a head, then garbage", "garbage", "{\"with_headers\":true}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "asks again or fails", AUDIT_SEEN },
	{ "no answer, ever", "header_stall", "{}", AUDIT_FIRST, false, READ,
	  "gives up in time, then asks again or fails", AUDIT_SILENT },
	{ "400 bad request", "http_error", "{\"status\":400}", AUDIT_FIRST, false, READ,
	  "does not ask again, and fails", AUDIT_SEEN },
	{ "401 bad key", "http_error", "{\"status\":401}", AUDIT_FIRST, false, READ,
	  "does not ask again, and fails", AUDIT_SEEN },
	{ "429, Retry-After: 1", "http_error", "{\"status\":429,\"retry_after\":\"1\"}", AUDIT_FIRST, false, READ,
	  "asks again after a second or more", AUDIT_SEEN },
	{ "429, quota used up", "http_error", QUOTA, AUDIT_FIRST, false, READ,
	  "does not ask again: more requests bring no money", AUDIT_SEEN },
	{ "500", "http_error", "{\"status\":500}", AUDIT_FIRST, false, READ,
	  "asks again after a moment", AUDIT_SEEN },
	{ "502, a CDN's page", "http_error", "{\"status\":502,\"provider\":\"cdn\"}", AUDIT_FIRST, false, READ,
	  "asks again, whatever the body is", AUDIT_SEEN },
	{ "503", "http_error", "{\"status\":503}", AUDIT_FIRST, false, READ,
	  "asks again after a moment", AUDIT_SEEN },
	{ "503, and again", "http_error", "{\"status\":503}", AUDIT_EVERY, false, READ,
	  "waits longer each time, and gives up with an error", AUDIT_SEEN },
	{ "503, x-should-retry: false", "http_error", "{\"status\":503,\"headers\":{\"x-should-retry\":\"false\"}}", AUDIT_FIRST, false, READ,
	  "believes it, and fails", AUDIT_SEEN },
	{ "529 overloaded", "http_error", "{\"status\":529,\"provider\":\"anthropic\"}", AUDIT_FIRST, false, READ,
	  "asks again after a moment", AUDIT_SEEN },
	{ "comments for ever", "keepalive_only", "{\"ms\":100,\"after_events\":3}", AUDIT_FIRST, false, READ,
	  "gives up in time, then asks again or fails", AUDIT_SILENT },
	{ "a kernel quietly wrong", "kernel_corrupt", "{\"operator\":\"rope_interleaved\"}", AUDIT_FIRST, false, READ,
	  "finds out by itself: nothing on the wire tells", AUDIT_UNSEEN },
	{ "300 ms late", "latency", "{\"latency\":300}", AUDIT_FIRST, true, READ,
	  "waits", AUDIT_SEEN },
	{ "slower with each one beside it", "latency_load", "{\"per_request\":100}", AUDIT_FIRST, true, READ,
	  "waits", AUDIT_SEEN },
	{ "as late as it once was", "latency_recorded", "{\"samples\":[40,60,250]}", AUDIT_FIRST, true, READ,
	  "waits", AUDIT_SEEN },
	{ "cut after 200 bytes", "limit_data", "{\"bytes\":200}", AUDIT_TOXIC, false, WORTH_TRUNCATED,
	  "notices: asks again, then fails", AUDIT_SEEN },
	{ "all said, but no end", "linger", "{}", AUDIT_FIRST, true, READ,
	  "goes on: the answer said that it was over", AUDIT_SEEN },
	{ "no content", "llm_empty", "{}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", AUDIT_SEEN },
	{ "done, says a tool call", "llm_finish", "{\"reason\":\"stop\"}", AUDIT_FIRST, false, READ,
	  "goes by the call that is there, or fails", AUDIT_SEEN },
	{ "a filter's word on a good answer", "llm_finish", "{\"reason\":\"content_filter\"}", AUDIT_FIRST, false, READ,
	  "shows the reason, or fails", AUDIT_SEEN },
	{ "a tool that nobody offered", "llm_invented_tool", "{}", AUDIT_FIRST, false, READ,
	  "tells the model that there is none, or fails", AUDIT_SEEN },
	{ "cut by max_tokens", "llm_length", "{\"bytes\":40}", AUDIT_FIRST, false, READ,
	  "looks at finish_reason: asks for the rest or fails", AUDIT_SEEN },
	{ "the same call, for ever", "llm_loop", "{}", AUDIT_EVERY, false, READ,
	  "ends after so many turns", AUDIT_UNSEEN },
	{ "another model's name", "llm_model_swap", "{\"model\":\"gpt-3.5-turbo\"}", AUDIT_FIRST, true, READ,
	  "may complain, must not break", AUDIT_SEEN },
	{ "a megabyte of talk", "llm_oversize", "{\"bytes\":1000000}", AUDIT_FIRST, true, READ,
	  "takes it, or cuts it by itself", AUDIT_SEEN },
	{ "a refusal", "llm_refusal", "{}", AUDIT_FIRST, false, READ,
	  "tells it from an answer", AUDIT_UNSEEN },
	{ "a refusal that says so", "llm_refusal", "{\"form\":\"refusal\"}", AUDIT_FIRST, false, READ,
	  "shows it, or fails", AUDIT_SEEN },
	{ "the turn before again", "llm_stale", "{}", AUDIT_FIRST, true, READ,
	  "may notice, must not break", AUDIT_UNSEEN },
	{ "cut tool arguments", "llm_tool_args", "{\"kind\":\"cut\"}", AUDIT_FIRST, false, READ,
	  "parses them before it acts on them", AUDIT_SEEN },
	{ "usage gone", "llm_usage", "{\"how\":\"missing\"}", AUDIT_FIRST, true, READ,
	  "does without", AUDIT_SEEN },
	{ "whole arguments that are wrong", "llm_wrong_args", "{}", AUDIT_FIRST, false, READ,
	  "finds out by itself: nothing on the wire tells", AUDIT_UNSEEN },
	{ "a tool that fails", "mcp_error", "{}", AUDIT_FIRST, false, READ,
	  "tells the model, or fails", AUDIT_SEEN },
	{ "a tool that says that it failed", "mcp_error", "{\"form\":\"tool\",\"message\":\"Error: the disk is full\"}", AUDIT_FIRST, false, READ,
	  "tells the model, or fails", AUDIT_SEEN },
	{ "instructions in a tool's result", "mcp_inject", "{}", AUDIT_FIRST, false, READ,
	  "takes them for data", AUDIT_SEEN },
	{ "a tool's answer cut", "mcp_malformed", "{\"kind\":\"cut\"}", AUDIT_FIRST, false, READ,
	  "notices: fails", AUDIT_SEEN },
	{ "a result that breaks its schema", "mcp_malformed", "{\"kind\":\"bad_schema\"}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "holds it against the tool's schema: fails", AUDIT_SEEN },
	{ "neither result nor error", "mcp_malformed", "{\"kind\":\"no_result\"}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "notices: fails", AUDIT_SILENT },
	{ "a line that is no JSON", "mcp_malformed", "{\"kind\":\"not_json\"}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "notices: fails", AUDIT_SILENT },
	{ "the answer to another call", "mcp_malformed", "{\"kind\":\"wrong_id\"}", AUDIT_FIRST, false, WORTH_GARBLED,
	  "takes it for none, and gives up in time", AUDIT_SILENT },
	{ "another version of JSON-RPC", "mcp_malformed", "{\"kind\":\"wrong_version\"}", AUDIT_FIRST, false, WORTH_GOOD,
	  "takes it, or fails in time", AUDIT_SILENT },
	{ "a tool that hangs", "mcp_timeout", "{}", AUDIT_FIRST, false, READ,
	  "gives up in time", AUDIT_SILENT },
	{ "a tool that is wrong", "mcp_wrong_result", "{}", AUDIT_FIRST, false, READ,
	  "finds out by itself: nothing on the wire tells", AUDIT_UNSEEN },
	{ "nothing", "noop", "{}", AUDIT_TOXIC, true, READ,
	  "does its work", AUDIT_SEEN },
	{ "429, one request a second", "quota", "{\"requests\":1,\"window_ms\":1000}", AUDIT_EVERY, false, READ,
	  "waits as long as Retry-After says", AUDIT_SEEN },
	{ "reset at once", "refuse", "{}", AUDIT_FIRST, false, READ,
	  "asks again", AUDIT_SEEN },
	{ "connection reset, always", "reset_peer", "{\"timeout\":200}", AUDIT_TOXIC, false, WORTH_NOTHING,
	  "asks again, then gives up with an error", AUDIT_SEEN },
	{ "bad advice on a good answer", "retry_lie", "{\"retry_after\":\"86400\"}", AUDIT_FIRST, true, READ,
	  "takes the answer", AUDIT_SEEN },
	{ "slices of 16 bytes", "slicer", "{\"average_size\":16,\"size_variation\":8,\"delay\":500}", AUDIT_TOXIC, true, READ,
	  "puts the pieces together", AUDIT_SEEN },
	{ "the end held for 300 ms", "slow_close", "{\"delay\":300}", AUDIT_TOXIC, true, READ,
	  "does not wait for it", AUDIT_SEEN },
	{ "cut in its first event", "sse_cut", "{\"after_bytes\":30,\"how\":\"clean\"}", AUDIT_FIRST, false, WORTH_TRUNCATED,
	  "notices: asks again or fails", AUDIT_SILENT },
	{ "cut, connection closed", "sse_cut", "{\"after_events\":3,\"how\":\"fin\"}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", AUDIT_SEEN },
	{ "cut, connection reset", "sse_cut", "{\"after_events\":3,\"how\":\"rst\"}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", AUDIT_SEEN },
	{ "cut, clean end", "sse_cut", "{\"after_events\":3,\"how\":\"clean\"}", AUDIT_FIRST, false, READ,
	  "notices that no finish_reason came", AUDIT_SEEN },
	{ "cut by an error event", "sse_cut", "{\"after_events\":3,\"how\":\"error_event\"}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", AUDIT_SEEN },
	{ "an event that is no JSON", "sse_mangle", "{\"how\":\"bad_json\",\"at\":3}", AUDIT_FIRST, false, READ,
	  "notices: asks again or fails", AUDIT_SEEN },
	{ "no blank line between two", "sse_mangle", "{\"how\":\"no_blank\",\"at\":3}", AUDIT_FIRST, false, WORTH_GOOD,
	  "reads both, or notices and fails", AUDIT_SEEN },
	{ "CRLF line ends", "sse_mangle", "{\"how\":\"crlf\",\"at\":3}", AUDIT_FIRST, true, READ,
	  "reads on: the standard allows them", AUDIT_SEEN },
	{ "an unknown event", "sse_mangle", "{\"how\":\"unknown_event\",\"at\":3}", AUDIT_FIRST, true, READ,
	  "passes it over", AUDIT_SEEN },
	{ "silent in mid-stream, for good", "stall", "{\"after_events\":3}", AUDIT_FIRST, false, READ,
	  "gives up in time, then asks again or fails", AUDIT_SILENT },
	{ "dropped, closed after 200 ms", "timeout", "{\"timeout\":200}", AUDIT_TOXIC, false, WORTH_NOTHING,
	  "asks again, then gives up with an error", AUDIT_SEEN },
	{ "100 ms between two events", "token_latency", "{\"latency\":100}", AUDIT_FIRST, true, READ,
	  "waits", AUDIT_SEEN },
	{ "first event after 300 ms", "ttft", "{\"ms\":300}", AUDIT_FIRST, true, READ,
	  "waits", AUDIT_SEEN },
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

#define CRASH_ID "crash:request-"

void
audit_crash_id(uint64_t request, char out[AUDIT_ID_MAX])
{
	snprintf(out, AUDIT_ID_MAX, CRASH_ID "%" PRIu64, request);
}

void
audit_crash_label(uint64_t request, char out[AUDIT_ID_MAX])
{
	snprintf(out, AUDIT_ID_MAX, "crash: as request %" PRIu64 " comes",
	    request);
}

bool
audit_crash_holds(uint64_t request, const char *word)
{
	char id[AUDIT_ID_MAX], label[AUDIT_ID_MAX];

	audit_crash_id(request, id);
	audit_crash_label(request, label);
	return strstr(label, word) || strstr(id, word);
}

uint64_t
audit_crash_of(const char *id)
{
	static const char prefix[] = CRASH_ID;
	size_t n = sizeof prefix - 1;
	char *end;
	uint64_t request;

	if (strncmp(id, prefix, n) != 0 || !isdigit((unsigned char)id[n]))
		return 0;
	request = strtoull(id + n, &end, 10);
	return *end ? 0 : request;
}
