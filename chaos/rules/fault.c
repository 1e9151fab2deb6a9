/*
 * The table of faults.  To add one: fault_NAME.c, its name in fault.h, and a
 * row here; scenario, check, API and docs/chaos.md's table walk the rows.
 */
#include "chaos/rules/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/nearest.h"

#define NAMES_MAX 2000

static const struct fault_type *const types[] = {
	&fault_bandwidth, /* sorted by name */
	&fault_blackhole,
	&fault_body,
	&fault_drip,
	&fault_empty_reply,
	&fault_garbage,
	&fault_header_stall,
	&fault_http_error,
	&fault_keepalive_only,
	&fault_kernel_corrupt,
	&fault_latency,
	&fault_latency_load,
	&fault_latency_recorded,
	&fault_limit_data,
	&fault_linger,
	&fault_llm_empty,
	&fault_llm_finish,
	&fault_llm_invented_tool,
	&fault_llm_length,
	&fault_llm_loop,
	&fault_llm_model_swap,
	&fault_llm_oversize,
	&fault_llm_refusal,
	&fault_llm_stale,
	&fault_llm_tool_args,
	&fault_llm_usage,
	&fault_llm_wrong_args,
	&fault_mcp_error,
	&fault_mcp_inject,
	&fault_mcp_malformed,
	&fault_mcp_timeout,
	&fault_mcp_wrong_result,
	&fault_noop,
	&fault_quota,
	&fault_refuse,
	&fault_reset_peer,
	&fault_retry_lie,
	&fault_slicer,
	&fault_slow_close,
	&fault_sse_cut,
	&fault_sse_mangle,
	&fault_stall,
	&fault_timeout,
	&fault_token_latency,
	&fault_ttft,
	&fault_ws_cut,
	&fault_ws_delay,
	&fault_ws_garble,
};

#define NTYPES COUNT(types)

size_t
fault_type_count(void)
{
	return NTYPES;
}

const struct fault_type *
fault_type_at(size_t i)
{
	return types[i];
}

const struct fault_type *
fault_type_find(const char *name)
{
	for (size_t i = 0; i < NTYPES; i++)
		if (strcmp(types[i]->name, name) == 0)
			return types[i];
	return NULL;
}

static enum err
unknown_type(json_t *type, const char *pointer, struct why *why)
{
	const char *text = json_string_value(type);
	struct buf names;
	char found[128], hint[NEAREST_MAX + 24];
	struct nearest near;
	enum err e;

	nearest_init(&near, text ? text : "");
	buf_init(&names, NAMES_MAX);
	for (size_t i = 0; i < NTYPES; i++) {
		buf_addf(&names, "%s%s", i ? ", " : "", types[i]->name);
		nearest_try(&near, types[i]->name);
	}
	jfield_describe(type, found, sizeof found);
	nearest_hint(&near, hint);
	e = why_set(why, ERR_SYNTAX, "%s/type: found %s%s expected one of %s",
	    pointer, found, hint[0] ? hint : ",", names.data);
	buf_done(&names);
	return e;
}

enum err
fault_read(json_t *v, const char *pointer, struct fault *ret, struct why *why)
{
	json_t *name = json_object_get(v, "type"), *attributes;
	const struct fault_type *type;
	char found[128];
	enum err e;

	if (!json_is_object(v)) {
		jfield_describe(v, found, sizeof found);
		return why_set(why, ERR_SYNTAX,
		    "%s: found %s, expected an object with a type", pointer,
		    found);
	}
	type = json_is_string(name) ? fault_type_find(json_string_value(name))
	                            : NULL;
	if (!type)
		return unknown_type(name, pointer, why);
	/* "type" chooses the table and stands in none, and unknown keys are
	 * refused. */
	attributes = json_copy(v);
	json_object_del(attributes, "type");
	e = fault_read_attributes(type, attributes, pointer, ret, why);
	json_decref(attributes);
	return e;
}

enum err
fault_read_attributes(const struct fault_type *type, json_t *v,
    const char *pointer, struct fault *ret, struct why *why)
{
	void *conf = xcalloc(1, type->conf_bytes);
	enum err e;

	if (type->defaults)
		type->defaults(conf);
	e = jfield_read(v, pointer, type->fields, type->nfields, conf, why);
	if (e == ERR_OK && type->check)
		e = type->check(conf, pointer, why);
	if (e != ERR_OK) {
		free(conf);
		return e;
	}
	ret->type = type;
	ret->conf = conf;
	ret->state = type->state_bytes ? xcalloc(1, type->state_bytes) : NULL;
	return ERR_OK;
}

void
fault_done(struct fault *f)
{
	free(f->conf);
	free(f->state);
	f->conf = f->state = NULL;
}

json_t *
fault_numbers(const struct fault *f)
{
	json_t *v = json_object();

	for (size_t i = 0; i < f->type->nfields; i++) {
		const struct jfield *row = &f->type->fields[i];
		int64_t n;

		if (row->type != JF_INT)
			continue;
		memcpy(&n, (const char *)f->conf + row->offset, sizeof n);
		json_object_set_new(v, row->key, json_integer((json_int_t)n));
	}
	return v;
}
