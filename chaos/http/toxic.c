/*
 * Toxics as the API speaks of them.  The reader is lenient where Toxiproxy's
 * is (key case, unknown keys) and strict where it is (types).
 */
#include "chaos/http/toxic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/rules/engine.h"

#define BAD_BODY "bad request body: "
#define LARGE    1e15
#define DELETE   0x7f

const char *const toxic_stream_names[TOXIC_NSTREAMS] = {
	[TOXIC_UPSTREAM] = "upstream",
	[TOXIC_DOWNSTREAM] = "downstream",
};

struct raw {
	const char *name, *type, *stream;
	double toxicity;
	json_t *attributes;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "attributes", JF_ANY,    0, 0, 0, offsetof(struct raw, attributes), NULL },
	{ "name",       JF_STRING, 0, 0, 0, offsetof(struct raw, name),       NULL },
	{ "stream",     JF_STRING, 0, 0, 0, offsetof(struct raw, stream),     NULL },
	{ "toxicity",   JF_REAL,   0, 0, 0, offsetof(struct raw, toxicity),   NULL },
	{ "type",       JF_STRING, 0, 0, 0, offsetof(struct raw, type),       NULL },
};
/* clang-format on */

#define NFIELDS COUNT(fields)

static char *
lowered(const char *key)
{
	char *name = xstrdup(key);

	for (char *p = name; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p + 'a' - 'A');
	return name;
}

json_t *
json_lower_keys(json_t *v)
{
	json_t *lower = json_object(), *item;
	const char *key;

	json_object_foreach(v, key, item) {
		char *name = lowered(key);

		json_object_set(lower, name, item);
		free(name);
	}
	return lower;
}

/* The members of v that rows name, keys folded, null as absent. */
static json_t *
keep_known(json_t *v, const struct jfield *rows, size_t n)
{
	json_t *lower = json_lower_keys(v), *kept = json_object();

	for (size_t i = 0; i < n; i++) {
		json_t *item = json_object_get(lower, rows[i].key);

		if (item && !json_is_null(item))
			json_object_set(kept, rows[i].key, item);
	}
	json_decref(lower);
	return kept;
}

static enum err
bad_body(enum err e, struct why *why)
{
	char text[WHY_MAX];

	if (e == ERR_OK)
		return e;
	snprintf(text, sizeof text, "%s", why->text);
	return why_set(why, ERR_SYNTAX, BAD_BODY "%.400s", text);
}

enum err
toxic_check_text(const char *key, const char *text, size_t bytes_max,
    struct why *why)
{
	size_t n = strlen(text), i = 0;

	if (n > bytes_max)
		return why_set(why, ERR_RANGE,
		    "%s: found %zu bytes, expected %zu at most", key, n,
		    bytes_max);
	while (i < n && (unsigned char)text[i] >= ' ' && text[i] != DELETE)
		i++;
	return i == n ? ERR_OK
	              : why_set(why, ERR_RANGE,
	                    "%s: found the control character %u, expected "
	                    "none",
	                    key, (unsigned)(unsigned char)text[i]);
}

/* More than 1 is always, as in the original; less than 0 is a mistake. */
static enum err
check_raw(const struct raw *r, struct why *why)
{
	if (r->toxicity < 0)
		return why_set(why, ERR_RANGE,
		    "/toxicity: found %g, expected 0 or more (1: always)",
		    r->toxicity);
	return r->name ? toxic_check_text("/name", r->name, TOXIC_NAME_MAX, why)
	               : ERR_OK;
}

/* Strings in *ret are borrowed from the object in *keep. */
static enum err
read_raw(json_t *v, struct raw *ret, json_t **keep, struct why *why)
{
	json_t *kept = keep_known(v, fields, NFIELDS);
	enum err e =
	    bad_body(jfield_read(kept, "", fields, NFIELDS, ret, why), why);

	if (e == ERR_OK && ret->attributes && !json_is_object(ret->attributes))
		e = why_set(why, ERR_SYNTAX,
		    BAD_BODY "attributes: expected an object");
	if (e == ERR_OK)
		e = bad_body(check_raw(ret, why), why);
	*keep = kept;
	return e;
}

/* Texts in *ret are borrowed from *ret_kept, which is the caller's. */
static enum err
read_attributes(const struct fault_type *type, json_t *v, struct fault *ret,
    json_t **ret_kept, struct why *why)
{
	json_t *kept = keep_known(v, type->fields, type->nfields);
	enum err e =
	    bad_body(fault_read_attributes(type, kept, "/attributes", ret, why),
	        why);

	if (e == ERR_OK)
		*ret_kept = kept;
	else
		json_decref(kept);
	return e;
}

static int
stream_of(const char *name)
{
	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		if (strcasecmp(name, toxic_stream_names[i]) == 0)
			return i;
	return -1;
}

/* Takes fault and attributes. */
static struct toxic *
toxic_new(const struct raw *raw, enum toxic_stream stream, struct fault fault,
    json_t *attributes)
{
	struct toxic *t = xcalloc(1, sizeof *t);

	t->stream = stream;
	t->toxicity = raw->toxicity;
	t->fault = fault;
	t->attributes = attributes;
	t->name = raw->name && raw->name[0]
	    ? xstrdup(raw->name)
	    : xasprintf("%s_%s", fault.type->name, toxic_stream_names[stream]);
	return t;
}

static enum err
read_kind(const struct raw *raw, struct toxic **ret, struct why *why)
{
	const struct fault_type *type =
	    raw->type ? fault_type_find(raw->type) : NULL;
	struct fault fault = { .type = NULL };
	json_t *kept = NULL;
	int stream = stream_of(raw->stream);
	enum err e;

	if (stream < 0)
		return why_set(why, ERR_SYNTAX,
		    "stream was invalid, can be either upstream or "
		    "downstream");
	if (!type)
		return why_set(why, ERR_SYNTAX, "invalid toxic type");
	e = read_attributes(type, raw->attributes, &fault, &kept, why);
	if (e == ERR_OK)
		*ret = toxic_new(raw, (enum toxic_stream)stream, fault, kept);
	return e;
}

enum err
toxic_read(json_t *v, struct toxic **ret, struct why *why)
{
	struct raw raw = { NULL, NULL, "downstream", 1.0, NULL };
	json_t *keep = NULL;
	enum err e = read_raw(v, &raw, &keep, why);

	if (e == ERR_OK)
		e = read_kind(&raw, ret, why);
	json_decref(keep);
	return e;
}

bool
toxic_is_tap(const struct toxic *t)
{
	return t->fault.type->toxic != NULL;
}

void
toxic_of_shot(struct toxic *t, struct shot *s)
{
	*t = (struct toxic){ .fault = s->rule->faults[s->index],
		.shot = s,
		.stream = TOXIC_DOWNSTREAM,
		.toxicity = 1 };
}

/* As given; numbers of Toxiproxy's own types are said even if they were not. */
static json_t *
attributes_of(const struct toxic *t)
{
	const struct fault *f = &t->fault;
	json_t *v = toxic_is_tap(t) ? fault_numbers(f) : json_object(), *given;

	for (size_t i = 0; i < f->type->nfields; i++) {
		const char *key = f->type->fields[i].key;

		given = json_object_get(t->attributes, key);
		if (given)
			json_object_set(v, key, given);
	}
	return v;
}

enum err
toxic_update(struct toxic *t, json_t *v, struct why *why)
{
	struct raw raw = { NULL, NULL, NULL, t->toxicity, NULL };
	struct fault fault = { .type = NULL };
	json_t *keep = NULL, *merged = attributes_of(t), *lower, *kept = NULL;
	enum err e = read_raw(v, &raw, &keep, why);

	if (e == ERR_OK) {
		lower = json_lower_keys(raw.attributes);
		json_object_update(merged, lower);
		json_decref(lower);
		e = read_attributes(t->fault.type, merged, &fault, &kept, why);
	}
	if (e == ERR_OK) {
		memcpy(t->fault.conf, fault.conf, fault.type->conf_bytes);
		fault_done(&fault);
		json_decref(t->attributes);
		t->attributes = kept;
		t->toxicity = raw.toxicity;
	}
	json_decref(merged);
	json_decref(keep);
	return e;
}

/* 1 and not 1.0, as the original writes it. */
static json_t *
number(double x)
{
	json_int_t whole = x > -LARGE && x < LARGE ? (json_int_t)x : 0;

	return (double)whole == x ? json_integer(whole) : json_real(x);
}

json_t *
toxic_to_json(const struct toxic *t)
{
	return json_pack("{so ss ss ss so}", "attributes", attributes_of(t),
	    "name", t->name, "type", t->fault.type->name, "stream",
	    toxic_stream_names[t->stream], "toxicity", number(t->toxicity));
}

void
toxic_free(struct toxic *t)
{
	if (!t)
		return;
	free(t->name);
	fault_done(&t->fault);
	json_decref(t->attributes);
	free(t);
}
