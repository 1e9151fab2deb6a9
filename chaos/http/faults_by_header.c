/*
 * Each header becomes the JSON of a fault and is read by the fault's own
 * table, so that a header can do what a scenario can and nothing else.
 */
#include "chaos/http/faults_by_header.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/rules/rule.h"

#define DRIP_MS          10
#define KIB              1024
#define KIB_A_SECOND_MAX 1000000000
#define MS_PER_S         1000
#define HEADER_MAX       4096
#define CHAOS_FAULT      "x-chaos-fault"

struct headerfault {
	struct rule rule;
	json_t *texts; /* owned: the faults' JSON */
};

static json_t *parse_chaos(struct slice v), *parse_delay(struct slice v),
    *parse_abort(struct slice v), *parse_throughput(struct slice v);

static const struct {
	const char *name;
	json_t *(*parse)(struct slice v);
} headers[] = {
	{ CHAOS_FAULT, parse_chaos },
	{ "x-envoy-fault-delay-request", parse_delay },
	{ "x-envoy-fault-abort-request", parse_abort },
	{ "x-envoy-fault-throughput-response", parse_throughput },
};

/* A value as JSON if it is some, else a string. */
static json_t *
value_of(struct slice v)
{
	json_t *json = json_loadb(v.p, v.n, JSON_DECODE_ANY, NULL);

	return json ? json : json_stringn(v.p, v.n);
}

/* TYPE;KEY=VALUE;KEY=VALUE */
static json_t *
parse_chaos(struct slice v)
{
	json_t *fault = json_object();
	bool is_type = true;

	while (v.n) {
		const char *end = memchr(v.p, ';', v.n);
		size_t n = end ? (size_t)(end - v.p) : v.n;
		struct slice part = slice_trim((struct slice){ v.p, n });
		const char *eq = part.n ? memchr(part.p, '=', part.n) : NULL;
		size_t key = eq ? (size_t)(eq - part.p) : part.n;

		if (is_type)
			json_object_set_new(fault, "type",
			    json_stringn(part.p, part.n));
		else if (eq)
			json_object_setn_new(fault, part.p, key,
			    value_of(
			        (struct slice){ eq + 1, part.n - key - 1 }));
		else if (part.n)
			json_object_setn_new(fault, part.p, part.n,
			    json_true());
		is_type = false;
		n += end != NULL;
		v.p += n;
		v.n -= n;
	}
	return fault;
}

static json_t *
parse_delay(struct slice v)
{
	return json_pack("{ss so}", "type", "latency", "latency", value_of(v));
}

static json_t *
parse_abort(struct slice v)
{
	return json_pack("{ss so}", "type", "http_error", "status",
	    value_of(v));
}

/* KiB a second, as so many bytes each DRIP_MS.  A rate past all bounds is one
 * that the drip refuses, whatever it would be multiplied out. */
static json_t *
parse_throughput(struct slice v)
{
	json_t *rate = value_of(v);
	json_int_t kib = json_integer_value(rate), bytes;

	if (kib < 0 || kib > KIB_A_SECOND_MAX)
		kib = kib < 0 ? 0 : KIB_A_SECOND_MAX;
	bytes = kib * KIB * DRIP_MS / MS_PER_S;
	json_decref(rate);
	return json_pack("{ss sI si}", "type", "drip", "bytes", bytes, "ms",
	    DRIP_MS);
}

static enum err
add(struct headerfault *h, const char *name, json_t *text, struct why *why)
{
	struct rule *r = &h->rule;
	enum err e = fault_read(text, name, &r->faults[r->nfaults], why);

	json_array_append_new(h->texts, text);
	if (e != ERR_OK)
		return e;
	if (r->faults[r->nfaults++].type->on_request)
		r->acts_on_request = true;
	return ERR_OK;
}

enum err
headerfault_read(struct facts *f, struct headerfault **ret, struct why *why)
{
	struct headerfault *h = xcalloc(1, sizeof *h);
	enum err e = ERR_OK;

	h->rule = (struct rule){ .id = "header", .phase = -1 };
	h->texts = json_array();
	for (size_t i = 0; i < COUNT(headers) && e == ERR_OK; i++) {
		struct slice v = facts_header(f, headers[i].name);

		if (v.n > HEADER_MAX)
			e = why_set(why, ERR_TOOBIG, "%s: too long",
			    headers[i].name);
		else if (v.n)
			e = add(h, headers[i].name, headers[i].parse(v), why);
	}
	if (e == ERR_OK && h->rule.nfaults) {
		*ret = h;
		return ERR_OK;
	}
	headerfault_free(h);
	return e;
}

const struct rule *
headerfault_rule(const struct headerfault *h)
{
	return h ? &h->rule : NULL;
}

void
headerfault_free(struct headerfault *h)
{
	if (!h)
		return;
	rule_done(&h->rule);
	json_decref(h->texts);
	free(h);
}
