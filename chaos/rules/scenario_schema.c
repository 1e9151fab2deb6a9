/*
 * A table of fields becomes an object of the schema, row by row; what a row
 * cannot say is merged into it from the texts below (faults bring their own,
 * fault.h).  Wherever the parser looks into a value by itself, a text here
 * says the same.
 */
#include "chaos/rules/scenario_schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/rules/fault.h"
#include "chaos/rules/rule.h"
#include "chaos/rules/scenario.h"
#include "cltext/corruption.h"

#define REF "#/definitions/"

#define TOKEN "[!#$%&'*+.^_`|~0-9A-Za-z-]+" /* RFC 9110, 5.6.2 */

#define TO(name) "{\"$ref\":\"" REF name "\"}"

static const char top_more[] =
    "{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
    "\"title\":\"kf-chaos scenario\",\"properties\":{"
    "\"identity\":" TO("identity") ",\"limits\":" TO(
        "limits") ","
                  "\"proxies\":{\"propertyNames\":{\"pattern\":\"^[^ =|/]+$\"},"
                  "\"additionalProperties\":" TO(
                      "proxy") "},"
                               "\"phases\":{\"items\":" TO(
                                   "phase") "},"
                                            "\"rules\":{\"items\":" TO(
                                                "rule") "},"
                                                        "\"preset\":{\"anyOf\":"
                                                        "[" TO(
                                                            "preset") ","
                                                                      "{\"type"
                                                                      "\":"
                                                                      "\"array"
                                                                      "\","
                                                                      "\"items"
                                                                      "\":" TO(
                                                                          "pres"
                                                                          "et") "}]},"
                                                                                "\"seed\":{\"minLength\":1,\"maxLength\":128,"
                                                                                "\"pattern\":\"^[^|]*$\"}}}";

static const char identity_more[] =
    "{\"properties\":{"
    "\"key\":{\"anyOf\":[" TO(
        "source") ",{\"type\":\"array\","
                  "\"minItems\":1,\"items\":" TO(
                      "source") "}]},"
                                "\"ignore\":{\"items\":{\"type\":\"string\","
                                "\"pattern\":\"^/([^~]|~[01])+$\"}}}}";

static const char proxy_more[] =
    "{\"properties\":{\"upstream\":{\"pattern\":\"^[^ ]+$\"},"
    "\"listen\":{\"pattern\":\":[0-9]{1,5}$\"},"
    "\"tls\":" TO(
        "tls") "},"
               "\"allOf\":[{\"if\":{\"not\":{\"required\":[\"mode\"],"
               "\"properties\":"
               "{\"mode\":{\"enum\":[\"script\",\"standin\",\"replay\","
               "\"forward\"]}}}},"
               "\"then\":{\"required\":[\"upstream\"]}},"
               "{\"if\":{\"required\":[\"mode\"],\"properties\":{\"mode\":"
               "{\"const\":\"script\"}}},\"then\":{\"required\":[\"answers\"]}}"
               ","
               "{\"if\":{\"required\":[\"mode\"],\"properties\":{\"mode\":"
               "{\"enum\":[\"record\",\"replay\"]}}},"
               "\"then\":{\"required\":[\"cassette\"]}},"
               "{\"if\":{\"required\":[\"mode\"],\"properties\":{\"mode\":"
               "{\"const\":\"passthrough\"}}},\"then\":{\"properties\":{"
               "\"upstream\":"
               "{\"not\":{\"pattern\":\"://\"}},\"tls\":false}}},"
               "{\"if\":{\"not\":{\"required\":[\"mode\"],"
               "\"properties\":{\"mode\":{\"const\":\"standin\"}}}},"
               "\"then\":{\"properties\":{\"tool_calls\":false}}},"
               "{\"if\":{\"required\":[\"mode\"],\"properties\":{\"mode\":"
               "{\"const\":\"forward\"}}},\"then\":{\"required\":[\"hosts\"],"
               "\"properties\":{\"upstream\":false,\"hosts\":{\"items\":"
               "{\"type\":\"string\",\"pattern\":\"^[^/: ]+$\"}}}},"
               "\"else\":{\"properties\":{\"ca\":false,\"hosts\":false,"
               "\"others\":{\"const\":\"tunnel\"},\"remote\":{\"const\":false}}"
               "}}]}";

static const char phase_more[] = "{\"properties\":{\"until\":" TO("until") "}}";

static const char tls_more[] =
    "{\"oneOf\":[{\"required\":[\"ca\"]},{\"required\":[\"cert\"]}],"
    "\"dependencies\":{\"cert\":[\"key\"],\"key\":[\"cert\"]}}";

static const char rule_more[] =
    "{\"properties\":{"
    "\"id\":{\"pattern\":\"^[A-Za-z0-9_.-]{1,64}$\"},"
    "\"goal\":{\"pattern\":"
    "\"^(fired|bypassed|matched) *(>=|<=|==|>|<) *[0-9]{1,10}$\"},"
    "\"match\":" TO("match") ",\"when\":" TO(
        "when") ","
                "\"fault\":{\"if\":{\"type\":\"array\"},\"then\":{\"minItems\":"
                "1,"
                "\"items\":" TO("fault") "},\"else\":" TO("fault") "}}}";

static const char match_more[] =
    "{\"properties\":{"
    "\"header\":{\"propertyNames\":{\"pattern\":\"^" TOKEN "$\"},"
    "\"additionalProperties\":{\"type\":\"string\"}},"
    "\"metadata\":{\"additionalProperties\":{\"type\":\"string\"}}}}";

static const char extra[] =
    "{\"preset\":{\"type\":\"string\",\"pattern\":\"^[a-z0-9_]+$\"},"
    "\"source\":{\"type\":\"string\","
    "\"pattern\":\"^(ordinal|body-sha256|header:" TOKEN ")$\"}}";

static const char burst_len[] =
    "{\"properties\":{\"len\":{\"items\":{\"type\":\"integer\","
    "\"minimum\":1,\"maximum\":1000}}}}";

/* ---- tables to objects */

static json_t *
parse(const char *text)
{
	json_t *v = json_loads(text, 0, NULL);

	return v ? v : json_object();
}

static void
merge(json_t *into, const char *text)
{
	json_t *more = text ? parse(text) : NULL;

	if (more)
		json_object_update_recursive(into, more);
	json_decref(more);
}

static json_t *
number(double x)
{
	return json_integer((json_int_t)x);
}

static json_t *
field_schema(const struct jfield *f)
{
	static const struct {
		const char *type, *least, *most; /* NULL: not said */
	} types[] = {
		[JF_STRING] = { "string", NULL, NULL },
		[JF_INT] = { "integer", "minimum", "maximum" },
		[JF_REAL] = { "number", "minimum", "maximum" },
		[JF_BOOL] = { "boolean", NULL, NULL },
		[JF_OBJECT] = { "object", NULL, NULL },
		[JF_ARRAY] = { "array", "minItems", "maxItems" },
		[JF_ANY] = { NULL, NULL, NULL },
		[JF_ENUM] = { NULL, NULL, NULL },
	};
	json_t *v = json_object(), *names = NULL;

	if (types[f->type].type)
		json_object_set_new(v, "type",
		    json_string(types[f->type].type));
	/* The parser takes 0 and 0 as "no bounds" too. */
	if (types[f->type].least && (f->min != 0 || f->max != 0)) {
		json_object_set_new(v, types[f->type].least, number(f->min));
		json_object_set_new(v, types[f->type].most, number(f->max));
	}
	if (f->type == JF_ENUM)
		names = json_array();
	for (size_t i = 0; names && f->names[i]; i++)
		json_array_append_new(names, json_string(f->names[i]));
	if (names)
		json_object_set_new(v, "enum", names);
	return v;
}

static json_t *
object_schema(const struct jfield *fields, size_t n, const char *more)
{
	json_t *properties = json_object(), *required = json_array(), *v;

	for (size_t i = 0; i < n; i++) {
		json_object_set_new(properties, fields[i].key,
		    field_schema(&fields[i]));
		if (fields[i].flags & JF_REQUIRED)
			json_array_append_new(required,
			    json_string(fields[i].key));
	}
	v = json_pack("{ss so so sb}", "type", "object", "properties",
	    properties, "required", required, "additionalProperties", 0);
	merge(v, more);
	return v;
}

static json_t *
part_schema(enum scenario_part part, const char *more)
{
	size_t n = 0;
	const struct jfield *fields = scenario_fields(part, &n);

	return object_schema(fields, n, more);
}

/* ---- when */

static json_t *
kind_schema(const char *name, const struct jfield *fields, size_t n)
{
	if (n)
		return object_schema(fields, n,
		    strcmp(name, "burst") == 0 ? burst_len : NULL);
	return fields ? field_schema(fields) : json_pack("{sb}", "const", 1);
}

/* An object with exactly one member, the kind. */
static json_t *
when_schema(void)
{
	json_t *kinds = json_object();
	const struct jfield *fields = NULL;
	const char *name;
	size_t n = 0;

	for (size_t i = 0; (name = when_kind_at(i, &fields, &n)); i++)
		json_object_set_new(kinds, name, kind_schema(name, fields, n));
	return json_pack("{ss so si si sb}", "type", "object", "properties",
	    kinds, "minProperties", 1, "maxProperties", 1,
	    "additionalProperties", 0);
}

/* ---- faults */

static json_t *
operators(void)
{
	json_t *names = json_array();

	for (size_t i = 0; i < corrupt_count(); i++)
		json_array_append_new(names, json_string(corrupt_at(i)->name));
	return json_pack("{so}", "enum", names);
}

static json_t *
fault_schema(const struct fault_type *t)
{
	json_t *v = object_schema(t->fields, t->nfields, t->schema);
	json_t *properties = json_object_get(v, "properties");

	json_object_set_new(v, "description", json_string(t->about));
	json_object_set_new(properties, "type",
	    json_pack("{ss}", "const", t->name));
	if (json_object_get(properties, "operator"))
		json_object_set_new(properties, "operator", operators());
	return v;
}

/* The type is one of these; each has its own definition. */
static void
add_faults(json_t *definitions)
{
	json_t *names = json_array(), *cases = json_array();

	for (size_t i = 0; i < fault_type_count(); i++) {
		const struct fault_type *t = fault_type_at(i);
		char *name = xasprintf("fault_%s", t->name);
		char *ref = xasprintf("%s%s", REF, name);

		json_object_set_new(definitions, name, fault_schema(t));
		json_array_append_new(names, json_string(t->name));
		json_array_append_new(cases,
		    json_pack("{s{s{s{ss}}} s{ss}}", "if", "properties", "type",
		        "const", t->name, "then", "$ref", ref));
		free(name);
		free(ref);
	}
	json_object_set_new(definitions, "fault",
	    json_pack("{ss s[s] s{s{so}} so}", "type", "object", "required",
	        "type", "properties", "type", "enum", names, "allOf", cases));
}

json_t *
scenario_schema_new(void)
{
	json_t *definitions = parse(extra);
	json_t *v = part_schema(SCENARIO_TOP, top_more);
	size_t nidentity = 0, nmatch = 0, nrule = 0;
	const struct jfield *identity = identity_fields(&nidentity);
	const struct jfield *match = match_fields(&nmatch);
	const struct jfield *rule = rule_fields(&nrule);
	const struct {
		const char *name;
		json_t *schema;
	} rows[] = {
		{ "identity",
		    object_schema(identity, nidentity, identity_more) },
		{ "limits", part_schema(SCENARIO_LIMITS, NULL) },
		{ "match", object_schema(match, nmatch, match_more) },
		{ "phase", part_schema(SCENARIO_PHASE, phase_more) },
		{ "proxy", part_schema(SCENARIO_PROXY, proxy_more) },
		{ "rule", object_schema(rule, nrule, rule_more) },
		{ "tls", part_schema(SCENARIO_TLS, tls_more) },
		{ "until", part_schema(SCENARIO_UNTIL, NULL) },
		{ "when", when_schema() },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		json_object_set_new(definitions, rows[i].name, rows[i].schema);
	add_faults(definitions);
	json_object_set_new(v, "definitions", definitions);
	return v;
}
