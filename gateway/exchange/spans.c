/*
 * Spans are written once, when a request has ended: until then nothing is
 * known of its attempts that would not change.
 */
#include "gateway/exchange/spans.h"

#include "base/clock.h"
#include "base/digest.h"
#include "gateway/exchange/call_state.h"
#include "gateway/telling/otel.h"
#include "gateway/text/jput.h"
#include <ctype.h>
#include <string.h>

#define SPANS_MAX_BYTES ((size_t)1 << 20)
#define TRACE_DIGITS    32
#define SPAN_DIGITS     16
#define KIND_SERVER     2
#define KIND_CLIENT     3
#define STATUS_ERROR    2
#define UNSAMPLED       "00"

/* Where a request belongs. */
struct trace {
	char id[TRACE_DIGITS + 1];
	char parent[SPAN_DIGITS + 1]; /* "" for none */
	char span[SPAN_DIGITS + 1];   /* the request's own */
};

/* Text being written; once something does not fit, all of it is void. */
struct writer {
	struct buf b;
	bool is_cut;
};

static void
random_hex(char *out, size_t digits)
{
	uint8_t bytes[TRACE_DIGITS / 2];

	digest_random(bytes, digits / 2);
	for (size_t i = 0; i < digits; i++)
		out[i] =
		    "0123456789abcdef"[bytes[i / 2] >> (i % 2 ? 0 : 4) & 0xf];
	out[digits] = '\0';
}

static bool
is_hex(const char *p, size_t n)
{
	bool is_zero = true;

	for (size_t i = 0; i < n; i++) {
		if (!isdigit((unsigned char)p[i]) && (p[i] < 'a' || p[i] > 'f'))
			return false;
		is_zero &= p[i] == '0';
	}
	return !is_zero;
}

/* traceparent: 00-TRACE-SPAN-FLAGS.  False: not to be exported. */
static bool
read_trace(const struct call *c, struct trace *ret)
{
	const char *p = c->traceparent;
	const char *span = p + 3 + TRACE_DIGITS + 1;

	random_hex(ret->span, SPAN_DIGITS);
	ret->parent[0] = '\0';
	if (!*p || !is_hex(p + 3, TRACE_DIGITS) || !is_hex(span, SPAN_DIGITS)) {
		random_hex(ret->id, TRACE_DIGITS);
		return true;
	}
	memcpy(ret->id, p + 3, TRACE_DIGITS);
	ret->id[TRACE_DIGITS] = '\0';
	memcpy(ret->parent, span, SPAN_DIGITS);
	ret->parent[SPAN_DIGITS] = '\0';
	return strcmp(span + SPAN_DIGITS + 1, UNSAMPLED) != 0;
}

/* ---- pieces of JSON */

static void
put(struct writer *w, enum err e)
{
	w->is_cut |= e != ERR_OK;
}

static void
put_text(struct writer *w, const char *s)
{
	put(w, buf_adds(&w->b, s));
}

static void
begin_attribute(struct writer *w, const char *key)
{
	if (w->b.data[w->b.len - 1] == '}')
		put_text(w, ",");
	put_text(w, "{");
	put(w, jput_member(&w->b, "key", key));
	put_text(w, ",\"value\":{");
}

static void
put_word(struct writer *w, const char *key, const char *value)
{
	begin_attribute(w, key);
	put(w, jput_member(&w->b, "stringValue", value));
	put_text(w, "}}");
}

/* OTLP's JSON writes 64-bit numbers as strings. */
static void
put_count(struct writer *w, const char *key, uint64_t value)
{
	begin_attribute(w, key);
	put(w,
	    buf_addf(&w->b, "\"intValue\":\"%llu\"}}",
	        (unsigned long long)value));
}

struct span {
	const char *id, *parent, *operation, *name;
	int kind;
	uint64_t from_ns, to_ns;
	enum cause cause;
	int status; /* of HTTP, 0 for none */
};

static void
begin_span(struct writer *w, const struct trace *t, const struct span *s)
{
	put_text(w, w->b.len > 0 ? ",{" : "{");
	put(w, jput_member(&w->b, "traceId", t->id));
	put(w, jput_member(&w->b, "spanId", s->id));
	if (s->parent[0])
		put(w, jput_member(&w->b, "parentSpanId", s->parent));
	put(w, jput_name(&w->b, "name"));
	put_text(w, "\"");
	put_text(w, s->operation);
	put_text(w, " ");
	put(w, jput_inside(&w->b, slice_of(s->name)));
	put(w,
	    buf_addf(&w->b,
	        "\",\"kind\":%d,\"startTimeUnixNano\":\"%llu\","
	        "\"endTimeUnixNano\":\"%llu\",\"attributes\":[",
	        s->kind, (unsigned long long)s->from_ns,
	        (unsigned long long)s->to_ns));
	put_word(w, "gen_ai.operation.name", s->operation);
	put_count(w, "http.response.status_code", (uint64_t)s->status);
	if (s->cause != CAUSE_OK)
		put_word(w, "error.type", cause_facts(s->cause)->name);
}

static void
end_span(struct writer *w, const struct span *s)
{
	put_text(w, "]");
	if (s->cause != CAUSE_OK) {
		put(w,
		    buf_addf(&w->b, ",\"status\":{\"code\":%d", STATUS_ERROR));
		put(w,
		    jput_member(&w->b, "message",
		        cause_facts(s->cause)->phrase));
		put_text(w, "}");
	}
	put_text(w, "}");
}

/* ---- the spans */

static void
put_request(struct writer *w, const struct call *c, const struct trace *t,
    const struct span *s)
{
	const struct conf_target *target = call_target(c);

	begin_span(w, t, s);
	put_word(w, "gen_ai.request.model", c->model);
	put_word(w, "kf.request.id", c->id);
	if (target) {
		put_word(w, "gen_ai.response.model", target->model);
		put_word(w, "kf.target", target->name);
		put_word(w, "kf.reason", c->reason);
	}
	if (c->rule)
		put_word(w, "kf.rule", c->rule->id);
	end_span(w, s);
}

static void
put_try(struct writer *w, const struct call *c, const struct trace *t,
    const struct call_try *try, uint64_t call_ns)
{
	uint64_t from = call_ns + (uint64_t)try->at_us * 1000;
	char id[SPAN_DIGITS + 1];
	struct span s = { id, t->span, c->schema->operation, try->target->model,
		KIND_CLIENT, from, from + try->us * 1000, try->cause,
		try->status };

	random_hex(id, SPAN_DIGITS);
	begin_span(w, t, &s);
	put_word(w, "gen_ai.request.model", try->target->model);
	put_word(w, "gen_ai.provider.name", try->target->provider->name);
	put_word(w, "server.address", try->target->provider->url.addr.host);
	put_count(w, "server.port", try->target->provider->url.addr.port);
	put_count(w, "gen_ai.usage.input_tokens", try->tokens_in);
	put_count(w, "gen_ai.usage.output_tokens", try->tokens_out);
	put_count(w, "kf.cost_nanousd", try->cost_nano);
	put_word(w, "kf.stream", c->is_stream ? "yes" : "no");
	end_span(w, &s);
}

void
spans_export(const struct call *c, int status, enum cause cause)
{
	uint64_t took_ns = (loop_now_us(c->gate->loop) - c->started_us) * 1000;
	uint64_t to_ns = clock_wall_ms() * 1000000;
	struct span request = { .kind = KIND_SERVER,
		.parent = "",
		.operation = c->schema->operation,
		.name = c->model,
		.from_ns = to_ns - took_ns,
		.to_ns = to_ns,
		.cause = cause,
		.status = status };
	struct writer w = { .is_cut = false };
	struct trace t;
	size_t spans = c->ntries + 1;

	if (!read_trace(c, &t))
		return;
	request.id = t.span;
	request.parent = t.parent;
	buf_init(&w.b, SPANS_MAX_BYTES);
	put_request(&w, c, &t, &request);
	for (size_t i = 0; i < c->ntries; i++)
		put_try(&w, c, &t, &c->tries[i], request.from_ns);
	if (w.is_cut)
		buf_done(&w.b);
	else
		otel_add(c->gate->otel, &w.b, spans);
	buf_done(&w.b);
}
