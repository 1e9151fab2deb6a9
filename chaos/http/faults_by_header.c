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

typedef enum err parse_fn(struct slice v, json_t **ret, struct why *why);

static parse_fn parse_chaos, parse_delay, parse_abort, parse_throughput;

static const struct {
	const char *name;
	parse_fn *parse;
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

static size_t
type_of(struct slice v)
{
	const char *end = memchr(v.p, ';', v.n);

	return end ? (size_t)(end - v.p) : v.n;
}

/* Up to the next ';' that is in no string of a JSON value. */
static size_t
part_of(struct slice v)
{
	const char *eq = memchr(v.p, '=', v.n);
	const char *from = eq ? eq + 1 : v.p;
	bool is_json, is_string = false;
	size_t i = 0;

	while (from < v.p + v.n && *from == ' ')
		from++;
	is_json = eq && from < v.p + v.n && strchr("\"[{", *from);
	for (; i < v.n && (is_string || v.p[i] != ';'); i++)
		if (is_string && v.p[i] == '\\')
			i++;
		else if (is_json && v.p + i >= from && v.p[i] == '"')
			is_string = !is_string;
	return i < v.n ? i : v.n;
}

/* One KEY=VALUE, or KEY alone. */
static enum err
take_part(json_t *fault, struct slice part, struct why *why)
{
	const char *eq = memchr(part.p, '=', part.n);
	size_t n = eq ? (size_t)(eq - part.p) : part.n;
	struct slice key = slice_trim((struct slice){ part.p, n });
	struct slice value = slice_trim((struct slice){
	    part.p + n + (eq != NULL), part.n - n - (eq != NULL) });

	if (json_object_getn(fault, key.p, key.n))
		return why_set(why, ERR_SYNTAX,
		    CHAOS_FAULT "/" SLICE_FMT ": given twice", SLICE_ARG(key));
	if (eq && value.n == 0)
		return why_set(why, ERR_SYNTAX,
		    CHAOS_FAULT "/" SLICE_FMT ": no value behind the =",
		    SLICE_ARG(key));
	/* Whoever may ask for a fault may not have our files read. */
	if (slice_is(key, "file"))
		return why_set(why, ERR_DENIED,
		    CHAOS_FAULT "/file: a header cannot name a file");
	json_object_setn_new(fault, key.p, key.n,
	    eq ? value_of(value) : json_true());
	return ERR_OK;
}

/* TYPE;KEY=VALUE;KEY=VALUE */
static enum err
parse_chaos(struct slice v, json_t **ret, struct why *why)
{
	json_t *fault = json_object();
	enum err e = ERR_OK;
	bool is_type = true;

	while (v.n && e == ERR_OK) {
		size_t n = is_type ? type_of(v) : part_of(v);
		struct slice part = slice_trim((struct slice){ v.p, n });

		if (is_type)
			json_object_set_new(fault, "type",
			    json_stringn(part.p, part.n));
		else if (part.n)
			e = take_part(fault, part, why);
		is_type = false;
		n += n < v.n;
		v.p += n;
		v.n -= n;
	}
	*ret = fault;
	return e;
}

static enum err
parse_delay(struct slice v, json_t **ret, struct why *why)
{
	(void)why;
	*ret = json_pack("{ss so}", "type", "latency", "latency", value_of(v));
	return ERR_OK;
}

static enum err
parse_abort(struct slice v, json_t **ret, struct why *why)
{
	(void)why;
	*ret =
	    json_pack("{ss so}", "type", "http_error", "status", value_of(v));
	return ERR_OK;
}

/* KiB a second, as so many bytes each DRIP_MS.  A rate past all bounds is one
 * that the drip refuses, whatever it would be multiplied out. */
static enum err
parse_throughput(struct slice v, json_t **ret, struct why *why)
{
	json_t *rate = value_of(v);
	json_int_t kib = json_integer_value(rate), bytes;

	(void)why;
	if (kib < 0 || kib > KIB_A_SECOND_MAX)
		kib = kib < 0 ? 0 : KIB_A_SECOND_MAX;
	bytes = kib * KIB * DRIP_MS / MS_PER_S;
	json_decref(rate);
	*ret = json_pack("{ss sI si}", "type", "drip", "bytes", bytes, "ms",
	    DRIP_MS);
	return ERR_OK;
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

/* How often it is there; *ret: its last value. */
static size_t
count(struct facts *f, const char *name, struct slice *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < f->head->nheaders; i++)
		if (slice_is_nocase(f->head->headers[i].name, name)) {
			*ret = slice_trim(f->head->headers[i].value);
			n++;
		}
	return n;
}

static enum err
read_header(struct headerfault *h, struct facts *f, size_t i, struct why *why)
{
	struct slice v = { NULL, 0 };
	size_t n = count(f, headers[i].name, &v);
	json_t *text = NULL;
	enum err e;

	if (n == 0)
		return ERR_OK;
	if (n > 1)
		return why_set(why, ERR_SYNTAX,
		    "%s: given twice; a request asks for one fault",
		    headers[i].name);
	if (v.n == 0)
		return why_set(why, ERR_SYNTAX, "%s: empty", headers[i].name);
	if (v.n > HEADER_MAX)
		return why_set(why, ERR_TOOBIG, "%s: too long",
		    headers[i].name);
	e = headers[i].parse(v, &text, why);
	if (e == ERR_OK)
		return add(h, headers[i].name, text, why);
	json_decref(text);
	return e;
}

enum err
headerfault_read(struct facts *f, struct headerfault **ret, struct why *why)
{
	struct headerfault *h = xcalloc(1, sizeof *h);
	enum err e = ERR_OK;

	h->rule = (struct rule){ .id = "header", .phase = -1 };
	h->texts = json_array();
	for (size_t i = 0; i < COUNT(headers) && e == ERR_OK; i++)
		e = read_header(h, f, i, why);
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
