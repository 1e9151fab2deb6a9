/*
 * libcurl's callbacks.  Each translates and delegates: a header line goes to
 * its row of the table, a piece of body to the SSE parser or the buffer, the
 * clock to the idle check.
 *
 * Idle counts payload only: a server that sends nothing but comments makes
 * no progress.  After [DONE], or a finish reason that nothing follows, a short
 * grace is given for the end of the transfer, so that a connection which
 * lingers costs little.
 */
#include "agent/model/model_wire.h"

#include "base/clock.h"
#include "base/mask.h"
#include "base/stop.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WIRE_BODY_MAX  ((size_t)8 * 1024 * 1024)
#define WIRE_EVENT_MAX ((size_t)1024 * 1024)
#define WIRE_LINGER_MS 300
#define WIRE_FINISH_MS 1500 /* usage may follow a finish reason */
#define WIRE_FIELD_MAX 1024
#define WIRE_TELL_US   1000000
#define WIRE_TELL_MORE ((size_t)16 * 1024)
#define WIRE_USD_MAX   1e6

#define FIELD(header, member)                                                  \
	{                                                                      \
		header, offsetof(struct model_wire, member),                   \
		    sizeof(((struct model_wire *)0)->member)                   \
	}

/* Sorted: the headers of an answer that we read. */
static const struct {
	const char *name;
	size_t offset, size;
} wire_fields[] = {
	FIELD("content-type", type),
	FIELD("retry-after", retry_after),
	FIELD("retry-after-ms", retry_after_ms),
	FIELD("x-kf-attempts", attempts),
	FIELD("x-request-id", request_id),
	FIELD("x-should-retry", should_retry),
	FIELD("x-tfy-resolved-model", resolved),
	FIELD("x-tfy-routing", routing),
};

void
model_wire_init(struct model_wire *w, CURL *curl, uint32_t idle_ms)
{
	*w = (struct model_wire){
		.curl = curl,
		.idle_ms = idle_ms,
		.progress_us = clock_mono_us(),
		.begin_us = clock_mono_us(),
	};
	completion_init(&w->answer);
	buf_init(&w->body, WIRE_BODY_MAX);
}

void
model_wire_done(struct model_wire *w)
{
	completion_done(&w->answer);
	buf_done(&w->body);
	sse_parser_free(w->sse);
	w->sse = NULL;
}

void
model_wire_plain(char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			*text = '?';
}

static void
take_field(struct model_wire *w, struct slice name, struct slice value)
{
	for (size_t i = 0; i < COUNT(wire_fields); i++)
		if (slice_is_nocase(name, wire_fields[i].name)) {
			char *dst = (char *)w + wire_fields[i].offset;
			char text[WIRE_FIELD_MAX];

			mask_format(text, sizeof text, SLICE_FMT, (int)value.n,
			    value.p);
			model_wire_plain(text);
			(void)snprintf(dst, wire_fields[i].size, "%s", text);
		}
}

static size_t
on_header(char *p, size_t size, size_t count, void *arg)
{
	struct model_wire *w = arg;
	size_t n = size * count;
	const char *colon = memchr(p, ':', n);
	struct slice value;

	if (!colon)
		return n;
	value = (struct slice){ colon + 1, (size_t)(p + n - colon - 1) };
	while (value.n > 0 &&
	    (value.p[value.n - 1] == '\r' || value.p[value.n - 1] == '\n'))
		value.n--;
	take_field(w, (struct slice){ p, (size_t)(colon - p) },
	    slice_trim(value));
	return n;
}

/* The gateway's last comment: what the head could not know yet. */
static void
take_comment(struct model_wire *w, struct slice raw)
{
	if (slice_skip(&raw, ": x-kf-attempts ") && raw.n)
		take_field(w, slice_of("x-kf-attempts"), slice_trim(raw));
}

struct attempt_cost
model_wire_cost(const char *attempts)
{
	static const char key[] = ";cost=";
	struct attempt_cost cost = { .usd = -1 };
	const char *at = attempts;

	for (; *at; at += strcspn(at, ","), at += *at == ',') {
		const char *found = strstr(at, key);
		char *end;
		double usd;

		cost.calls++;
		if (!found || found > at + strcspn(at, ","))
			continue;
		usd = strtod(found + sizeof key - 1, &end);
		if (usd >= 0 && usd <= WIRE_USD_MAX)
			cost.usd = (cost.usd < 0 ? 0 : cost.usd) + usd;
	}
	return cost;
}

static bool
on_item(const struct sse_item *item, void *arg)
{
	struct model_wire *w = arg;

	if (item->kind == SSE_COMMENT)
		take_comment(w, item->raw);
	if (item->kind != SSE_EVENT || item->data.n == 0)
		return true;
	w->progress_us = clock_mono_us();
	w->pieces++;
	completion_event(&w->answer, item->data.p, item->data.n);
	return true;
}

static void
first_bytes(struct model_wire *w)
{
	long status = 0;

	/* Now and not after the headers: an interim answer (1xx) has headers of
	 * its own. */
	curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &status);
	w->status = (int)status;
	w->streams =
	    slice_begins_nocase(slice_of(w->type), "text/event-stream");
	if (w->streams && w->status / 100 == 2)
		w->sse = sse_parser_new(WIRE_EVENT_MAX);
}

static size_t
on_body(char *p, size_t size, size_t count, void *arg)
{
	struct model_wire *w = arg;
	size_t n = size * count;

	if (!w->status)
		first_bytes(w);
	if (w->sse) {
		w->too_big = sse_feed(w->sse, p, n, on_item, w) != ERR_OK;
		return w->too_big ? 0 : n;
	}
	w->progress_us = clock_mono_us();
	w->too_big = buf_add(&w->body, p, n) != ERR_OK;
	return w->too_big ? 0 : n;
}

bool
model_wait_reaches(const struct model_wait *w, unsigned seconds)
{
	uint64_t ms = (uint64_t)seconds * 1000;

	return w->ms / ms != w->before_ms / ms;
}

/* Once a second for whoever watches, and sooner for whoever counts, so that a
 * fast answer that is killed was counted but for its last bytes. */
static void
tell(struct model_wire *w, uint64_t now_us)
{
	struct model_wait wait = {
		.ms = (now_us - w->begin_us) / 1000,
		.before_ms = w->told_us ? (w->told_us - w->begin_us) / 1000 : 0,
		.pieces = w->pieces,
		.bytes = w->answer.said_bytes + w->body.len,
		.attempt = w->attempt,
		.model = w->model,
	};

	if (!w->on_wait ||
	    (now_us - w->told_us < WIRE_TELL_US &&
	        wait.bytes < w->told_bytes + WIRE_TELL_MORE))
		return;
	w->told_us = now_us;
	w->told_bytes = wait.bytes;
	w->on_wait(&wait, w->arg);
}

uint32_t
model_wire_idle_ms(const struct model_wire *w)
{
	bool has_begun = w->pieces > 0 || w->body.len > 0;

	return has_begun || !w->first_ms ? w->idle_ms : w->first_ms;
}

static int
on_clock(void *arg, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
    curl_off_t up)
{
	struct model_wire *w = arg;
	uint64_t now_us = clock_mono_us();
	uint64_t idle_ms = (now_us - w->progress_us) / 1000;

	(void)down_total, (void)down, (void)up_total, (void)up;
	w->stopped = stop_asked() != NULL;
	if (w->stopped)
		return 1;
	tell(w, now_us);
	if (w->answer.done)
		return idle_ms > WIRE_LINGER_MS;
	if (*w->answer.finish)
		return idle_ms > WIRE_FINISH_MS;
	w->stalled = idle_ms > model_wire_idle_ms(w);
	return w->stalled;
}

CURLcode
model_wire_perform(struct model_wire *w, uint64_t left_ms)
{
	CURLcode code;
	curl_off_t sent = 0;
	long status = 0;

	curl_easy_setopt(w->curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(w->curl, CURLOPT_HEADERDATA, w);
	curl_easy_setopt(w->curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(w->curl, CURLOPT_WRITEDATA, w);
	curl_easy_setopt(w->curl, CURLOPT_XFERINFOFUNCTION, on_clock);
	curl_easy_setopt(w->curl, CURLOPT_XFERINFODATA, w);
	curl_easy_setopt(w->curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(w->curl, CURLOPT_ERRORBUFFER, w->error);
	curl_easy_setopt(w->curl, CURLOPT_TIMEOUT_MS, (long)left_ms);
	code = curl_easy_perform(w->curl);
	/* The handle outlives w, and would write its next error into memory
	 * that is gone. */
	curl_easy_setopt(w->curl, CURLOPT_ERRORBUFFER, NULL);
	curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &status);
	w->status = (int)status;
	if (curl_easy_getinfo(w->curl, CURLINFO_SIZE_UPLOAD_T, &sent) ==
	        CURLE_OK &&
	    sent > 0)
		w->sent_bytes = (size_t)sent;
	return code;
}

static bool
never_connected(CURL *curl, CURLcode code)
{
	curl_off_t begun_us = 0;

	return code == CURLE_OPERATION_TIMEDOUT &&
	    curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &begun_us) ==
	    CURLE_OK &&
	    begun_us == 0;
}

bool
model_wire_is_unreachable(CURL *curl, CURLcode code)
{
	return code == CURLE_COULDNT_CONNECT ||
	    code == CURLE_COULDNT_RESOLVE_HOST ||
	    code == CURLE_COULDNT_RESOLVE_PROXY ||
	    code == CURLE_SSL_CONNECT_ERROR ||
	    code == CURLE_PEER_FAILED_VERIFICATION ||
	    never_connected(curl, code);
}
