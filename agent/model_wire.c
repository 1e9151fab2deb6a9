/*
 * libcurl's callbacks.  Each translates and delegates: a header line goes to
 * its row of the table, a piece of body to the SSE parser or the buffer, the
 * clock to the idle check.
 *
 * Idle counts payload only: a server that sends nothing but comments makes
 * no progress.  After [DONE] a short grace is given for the end of the
 * transfer, so that a connection which lingers costs little.
 */
#include "agent/model_wire.h"

#include "base/clock.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define WIRE_BODY_MAX  ((size_t)8 * 1024 * 1024)
#define WIRE_EVENT_MAX ((size_t)1024 * 1024)
#define WIRE_LINGER_MS 300

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
	for (size_t i = 0; i < sizeof wire_fields / sizeof *wire_fields; i++)
		if (slice_is_nocase(name, wire_fields[i].name)) {
			char *dst = (char *)w + wire_fields[i].offset;

			(void)snprintf(dst, wire_fields[i].size, SLICE_FMT,
			    (int)(value.n < 1024 ? value.n : 1024), value.p);
			model_wire_plain(dst);
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

static bool
on_item(const struct sse_item *item, void *arg)
{
	struct model_wire *w = arg;

	if (item->kind != SSE_EVENT || item->data.n == 0)
		return true;
	w->progress_us = clock_mono_us();
	completion_event(&w->answer, item->data.p, item->data.n);
	return true;
}

static void
first_bytes(struct model_wire *w)
{
	long status = 0;

	curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &status);
	w->status = (int)status;
	w->streams = strncasecmp(w->type, "text/event-stream",
	                 strlen("text/event-stream")) == 0;
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
	if (w->sse)
		return sse_feed(w->sse, p, n, on_item, w) == ERR_OK ? n : 0;
	w->progress_us = clock_mono_us();
	return buf_add(&w->body, p, n) == ERR_OK ? n : 0;
}

static int
on_clock(void *arg, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
    curl_off_t up)
{
	struct model_wire *w = arg;
	uint64_t idle_ms = (clock_mono_us() - w->progress_us) / 1000;

	(void)down_total, (void)down, (void)up_total, (void)up;
	if (w->answer.done)
		return idle_ms > WIRE_LINGER_MS;
	w->stalled = idle_ms > w->idle_ms;
	return w->stalled;
}

CURLcode
model_wire_perform(struct model_wire *w, uint64_t left_ms)
{
	CURLcode code;
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
	curl_easy_setopt(w->curl, CURLOPT_ERRORBUFFER, NULL);
	curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &status);
	w->status = (int)status;
	return code;
}
