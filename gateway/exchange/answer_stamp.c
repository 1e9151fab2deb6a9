/*
 * The one place where x-local-gateway and x-request-id are stamped; relayed
 * answers, refusals and other paths all begin here.  The error's type follows
 * from its status by table, because SDKs choose their exception by it.
 */
#include "gateway/exchange/answer_stamp.h"

#include "base/digest.h"
#include "gateway/text/jput.h"
#include "gateway/text/short_text.h"

#define ERROR_BODY_MAX 16384

/* clang-format off */
static const struct error_type {
	int status;
	const char *type;
} error_types[] = { /* sorted by status; the last at or below counts */
	{ 400, "invalid_request_error" },
	{ 401, "authentication_error" },
	{ 402, "insufficient_quota" },
	{ 403, "permission_error" },
	{ 404, "not_found_error" },
	{ 405, "invalid_request_error" },
	{ 408, "timeout_error" },
	{ 409, "invalid_request_error" },
	{ 429, "rate_limit_error" },
	{ 431, "invalid_request_error" },
	{ 500, "server_error" },
	{ 502, "upstream_error" },
	{ 503, "service_unavailable_error" },
	{ 504, "timeout_error" },
	{ 505, "server_error" },
}, messages_types[] = { /* the same, as Anthropic words them */
	{ 400, "invalid_request_error" },
	{ 401, "authentication_error" },
	{ 402, "billing_error" },
	{ 403, "permission_error" },
	{ 404, "not_found_error" },
	{ 405, "invalid_request_error" },
	{ 408, "timeout_error" },
	{ 409, "invalid_request_error" },
	{ 413, "request_too_large" },
	{ 414, "invalid_request_error" },
	{ 429, "rate_limit_error" },
	{ 431, "invalid_request_error" },
	{ 500, "api_error" },
	{ 504, "timeout_error" },
	{ 505, "api_error" },
	{ 529, "overloaded_error" },
	{ 530, "api_error" },
};
/* clang-format on */

/* Unique in all processes and hard to guess, without asking the system for
 * every one: a random start and the mixing step of splitmix64. */
void
answer_stamp_new_id(char out[ANSWER_STAMP_ID_BYTES])
{
	static uint64_t seed;
	struct short_text l;
	uint64_t z;

	if (seed == 0)
		digest_random(&seed, sizeof seed);
	z = (seed += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	short_text_init(&l, out, ANSWER_STAMP_ID_BYTES);
	short_text_add(&l, "req_");
	short_text_hex(&l, z ^ z >> 31);
}

void
answer_stamp_init(struct answer_stamp *a, const char *id)
{
	a->n = answer_stamp_put(a->fields, id);
}

size_t
answer_stamp_put(struct http1_field *fields, const char *id)
{
	fields[0] = (struct http1_field){ "x-local-gateway", "yes" };
	fields[1] = (struct http1_field){ "x-request-id", id };
	return 2;
}

void
answer_stamp_add(struct answer_stamp *a, const char *name, const char *value)
{
	if (value && a->n < ANSWER_STAMP_FIELDS_MAX)
		a->fields[a->n++] = (struct http1_field){ name, value };
}

static const char *
error_type(const struct error_type *types, size_t n, int status)
{
	const char *type = types[0].type;

	for (size_t i = 0; i < n; i++)
		if (types[i].status <= status)
			type = types[i].type;
	return type;
}

static void
put_error(const struct answer_stamp_error *e, struct buf *out)
{
	bool is_wrapped = e->schema && e->schema->wraps_errors;

	buf_adds(out, "\"error\":{");
	jput_member(out, "message", e->message);
	jput_member(out, "type",
	    is_wrapped
	        ? error_type(messages_types, COUNT(messages_types), e->status)
	        : error_type(error_types, COUNT(error_types), e->status));
	if (e->param)
		jput_member(out, "param", e->param);
	else
		buf_adds(out, ",\"param\":null");
	jput_member(out, "code", e->code);
	buf_adds(out, "}}");
}

void
answer_stamp_error_body(const struct answer_stamp_error *e, struct buf *out)
{
	buf_adds(out,
	    e->schema && e->schema->wraps_errors ? "{\"type\":\"error\","
	                                         : "{");
	put_error(e, out);
}

/* A client of responses knows the event by its type and its own members; its
 * SDK raises for `error` alone, so both are there. */
void
answer_stamp_event_body(const struct answer_stamp_error *e, struct buf *out)
{
	if (!e->schema || !e->schema->names_events || e->schema->wraps_errors) {
		answer_stamp_error_body(e, out);
		return;
	}
	buf_adds(out, "{\"type\":\"error\"");
	jput_member(out, "code", e->code);
	jput_member(out, "message", e->message);
	buf_adds(out, ",\"param\":null,\"sequence_number\":0,");
	put_error(e, out);
}

void
answer_stamp_refuse(struct serve_call *c, const struct answer_stamp_error *e,
    const struct answer_stamp *extra)
{
	char id[ANSWER_STAMP_ID_BYTES];
	struct answer_stamp a;
	struct buf body;

	answer_stamp_new_id(id);
	answer_stamp_init(&a, id);
	answer_stamp_add(&a, "content-type", "application/json");
	for (size_t i = 0; extra && i < extra->n; i++)
		answer_stamp_add(&a, extra->fields[i].name,
		    extra->fields[i].value);
	buf_init(&body, ERROR_BODY_MAX);
	answer_stamp_error_body(e, &body);
	serve_answer(c, e->status, a.fields, a.n, body.data, body.len);
	buf_done(&body);
}

void
answer_stamp_text(struct serve_call *c, int status, const char *type,
    const struct buf *body)
{
	char id[ANSWER_STAMP_ID_BYTES];
	struct answer_stamp a;

	answer_stamp_new_id(id);
	answer_stamp_init(&a, id);
	answer_stamp_add(&a, "content-type", type);
	answer_stamp_add(&a, "cache-control", "no-store");
	serve_answer(c, status, a.fields, a.n, body->data, body->len);
}
