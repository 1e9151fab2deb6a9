/*
 * kf-chaos ctl: drives the admin API of a running proxy (ours or a real
 * Toxiproxy) from a shell.  A verb is a row of the table: its words become a
 * path and a body; --json prints the answer as it came.
 */
#include "chaos/commands.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fetch.h"
#include "base/files.h"
#include "base/jfield.h"
#include "base/mem.h"
#include "base/opts.h"
#include "chaos/admin/admin_door.h"
#include "chaos/admin/ctl_print.h"
#include "chaos/rules/fault.h"

#define DEFAULT_ADMIN "127.0.0.1:8474"
#define WORDS_MAX     32
#define VERB_MAX      64
#define FILE_MAX      ((size_t)4 << 20)
#define ANSWER_MAX    ((size_t)8 << 20)

struct options {
	const char *admin, *stream, *name;
	int64_t percent;
	bool json;
};

/* clang-format off */
static const struct opt rows[] = {
	{ "admin",    OPT_STRING, offsetof(struct options, admin),   0, 0,   "HOST:PORT", "where the admin API is; default " DEFAULT_ADMIN },
	{ "stream",   OPT_STRING, offsetof(struct options, stream),  0, 0,   "STREAM",    "of a new toxic: upstream or downstream, the default" },
	{ "name",     OPT_STRING, offsetof(struct options, name),    0, 0,   "NAME",      "of a new toxic; default TYPE_STREAM" },
	{ "json",     OPT_FLAG,   offsetof(struct options, json),    0, 0,   NULL,        "print the API's answer as it came" },
	{ "toxicity", OPT_INT,    offsetof(struct options, percent), 0, 100, "PERCENT",   "the share of connections a toxic touches; default 100" },
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos ctl",
	.usage = "VERB ...",
	.about =
	    "Drives a running proxy:\n"
	    "  list | inspect PROXY | create PROXY LISTEN UPSTREAM\n"
	    "  enable PROXY | disable PROXY | toggle PROXY\n"
	    "  delete PROXY | populate FILE | reset\n"
	    "  toxic add PROXY TYPE [KEY=VALUE...]\n"
	    "  toxic update PROXY TOXIC [KEY=VALUE...]\n"
	    "  toxic remove PROXY TOXIC\n"
	    "  limits | set-limits KEY=NUMBER... | renew | version | metrics\n"
	    "A VALUE is a text where the attribute is one; else JSON, or a "
	    "text if it is none.  The token of " DOOR_TOKEN_NAME " is sent "
	    "where it is set.",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 1,
	.args_max = WORDS_MAX,
	.examples =
	    "kf-chaos ctl create redis 127.0.0.1:26379 127.0.0.1:6379\t"
	    "a proxy\n"
	    "kf-chaos ctl toxic add redis latency latency=500 jitter=50\t"
	    "make it slow\n"
	    "kf-chaos ctl list\t"
	    "all of them\n",
};

struct ctl {
	struct options o;
	const char *words[WORDS_MAX]; /* after the verb */
	size_t nwords;
	struct addr at;
	struct loop *loop;
	struct buf answer;
	int status; /* 0: none came */
	struct why why;
};

typedef enum err body_maker(struct ctl *c, json_t **ret);

static body_maker create_body, disable_body, empty_body, enable_body,
    limits_body, populate_body, toggle_body, toxic_add_body, toxic_update_body;

/* clang-format off */
static const struct verb {
	const char *name, *method, *path; /* % is the next word */
	size_t words_min, words_max;
	body_maker *body; /* NULL: no body */
} verbs[] = {					/* sorted by name */
	{ "create",       "POST",   "/proxies",            3, 3,         create_body       },
	{ "delete",       "DELETE", "/proxies/%",          1, 1,         NULL              },
	{ "disable",      "POST",   "/proxies/%",          1, 1,         disable_body      },
	{ "enable",       "POST",   "/proxies/%",          1, 1,         enable_body       },
	{ "inspect",      "GET",    "/proxies/%",          1, 1,         NULL              },
	{ "limits",       "GET",    "/limits",             0, 0,         NULL              },
	{ "list",         "GET",    "/proxies",            0, 0,         NULL              },
	{ "metrics",      "GET",    "/metrics",            0, 0,         NULL              },
	{ "populate",     "POST",   "/populate",           1, 1,         populate_body     },
	{ "renew",        "POST",   "/renew",              0, 0,         empty_body        },
	{ "reset",        "POST",   "/reset",              0, 0,         empty_body        },
	{ "set-limits",   "POST",   "/limits",             1, WORDS_MAX, limits_body       },
	{ "toggle",       "POST",   "/proxies/%",          1, 1,         toggle_body       },
	{ "toxic-add",    "POST",   "/proxies/%/toxics",   2, WORDS_MAX, toxic_add_body    },
	{ "toxic-remove", "DELETE", "/proxies/%/toxics/%", 2, 2,         NULL              },
	{ "toxic-update", "POST",   "/proxies/%/toxics/%", 2, WORDS_MAX, toxic_update_body },
	{ "version",      "GET",    "/version",            0, 0,         NULL              },
};
/* clang-format on */

static void call(struct ctl *c, const struct verb *v, json_t *body);

/* ---- bodies */

static enum err
create_body(struct ctl *c, json_t **ret)
{
	*ret = json_pack("{ss ss ss}", "name", c->words[0], "listen",
	    c->words[1], "upstream", c->words[2]);
	return ERR_OK;
}

static enum err
disable_body(struct ctl *c, json_t **ret)
{
	(void)c;
	*ret = json_pack("{sb}", "enabled", 0);
	return ERR_OK;
}

static enum err
enable_body(struct ctl *c, json_t **ret)
{
	(void)c;
	*ret = json_pack("{sb}", "enabled", 1);
	return ERR_OK;
}

static enum err
empty_body(struct ctl *c, json_t **ret)
{
	(void)c;
	*ret = json_object();
	return ERR_OK;
}

/* What the fault's table says of an attribute; NULL: it does not say. */
static const struct jfield *
field_of(const struct fault_type *type, const char *key)
{
	for (size_t i = 0; type && i < type->nfields; i++)
		if (strcmp(type->fields[i].key, key) == 0)
			return &type->fields[i];
	return NULL;
}

/*
 * A text stays one where the attribute is a text: retry_after=1 is no number
 * and form=null not nothing; as JSON ("1") it means the same.  Elsewhere a
 * value is JSON, or a text if it is none, and null is refused: it would be
 * taken for an attribute that was not said.
 */
static json_t *
value_of(const struct jfield *field, const char *text)
{
	bool is_text =
	    field && (field->type == JF_STRING || field->type == JF_ENUM);
	json_t *v = json_loads(text, JSON_DECODE_ANY, NULL);

	if (is_text && !json_is_string(v)) {
		json_decref(v);
		v = NULL;
	} else if (json_is_null(v)) {
		return NULL;
	}
	return v ? v : json_string(text);
}

/* KEY=VALUE words from that one on, of that type (NULL: of none). */
static enum err
pairs(struct ctl *c, size_t from, const struct fault_type *type, json_t **ret)
{
	json_t *v = json_object(), *value;

	for (size_t i = from; i < c->nwords; i++) {
		const char *equals = strchr(c->words[i], '=');
		char *key;

		if (!equals || equals == c->words[i]) {
			json_decref(v);
			return why_set(&c->why, ERR_SYNTAX,
			    "found \"%.60s\", expected KEY=VALUE", c->words[i]);
		}
		key = xstrndup(c->words[i], (size_t)(equals - c->words[i]));
		value = value_of(field_of(type, key), equals + 1);
		json_object_set_new(v, key, value);
		free(key);
		if (!value) {
			json_decref(v);
			return why_set(&c->why, ERR_SYNTAX,
			    "found \"%.60s\", expected a value: null is none",
			    c->words[i]);
		}
	}
	*ret = v;
	return ERR_OK;
}

static enum err
limits_body(struct ctl *c, json_t **ret)
{
	return pairs(c, 0, NULL, ret);
}

static enum err
populate_body(struct ctl *c, json_t **ret)
{
	char *text = NULL;
	size_t n = 0;
	enum err e = files_read(c->words[0], FILE_MAX, &text, &n, &c->why);

	if (e == ERR_OK)
		e = jfield_parse(c->words[0], text, n, ret, &c->why);
	free(text);
	return e;
}

/* The opposite of what the proxy is now. */
static enum err
toggle_body(struct ctl *c, json_t **ret)
{
	static const struct verb inspect = { "inspect", "GET", "/proxies/%", 1,
		1, NULL };
	json_t *now;

	call(c, &inspect, NULL);
	if (c->status >= 200 && c->status < 300) {
		now = json_loadb(c->answer.data, c->answer.len, 0, NULL);
		*ret = json_pack("{sb}", "enabled",
		    !json_is_true(json_object_get(now, "enabled")));
		json_decref(now);
	}
	return ERR_OK;
}

/* What the toxic with that name is now; NULL: the API does not say. */
static const struct fault_type *
type_of_toxic(struct ctl *c)
{
	static const struct verb look = { "look", "GET", "/proxies/%/toxics/%",
		2, 2, NULL };
	const struct fault_type *type = NULL;
	const char *name;
	json_t *now;

	/* Asked because only the type says which attributes are texts; a
	 * refusal here comes again for the update itself, and is told there. */
	call(c, &look, NULL);
	now = json_loadb(c->answer.data ? c->answer.data : "", c->answer.len, 0,
	    NULL);
	name = json_string_value(json_object_get(now, "type"));
	if (name)
		type = fault_type_find(name);
	json_decref(now);
	return type;
}

static enum err
toxic_body(struct ctl *c, const struct fault_type *type, json_t **ret)
{
	json_t *v = NULL;
	enum err e = pairs(c, 2, type, &v);

	if (e != ERR_OK)
		return e;
	*ret = json_pack("{so}", "attributes", v);
	if (c->o.percent >= 0)
		json_object_set_new(*ret, "toxicity",
		    json_real((double)c->o.percent / 100));
	return e;
}

static enum err
toxic_update_body(struct ctl *c, json_t **ret)
{
	return toxic_body(c, type_of_toxic(c), ret);
}

static enum err
toxic_add_body(struct ctl *c, json_t **ret)
{
	enum err e = toxic_body(c, fault_type_find(c->words[1]), ret);

	if (e != ERR_OK)
		return e;
	json_object_set_new(*ret, "type", json_string(c->words[1]));
	json_object_set_new(*ret, "stream", json_string(c->o.stream));
	json_object_set_new(*ret, "name", json_string(c->o.name));
	return e;
}

/* ---- the call */

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	(void)f;
	buf_add(&((struct ctl *)arg)->answer, p, n);
}

static void
on_end(struct fetch *f, void *arg)
{
	struct ctl *c = arg;

	c->status = fetch_status(f);
	loop_quit(c->loop);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct ctl *c = arg;

	(void)f;
	(void)fail;
	c->status = 0;
	why_set(&c->why, ERR_ENV, "%s: %s", c->o.admin, text);
	loop_quit(c->loop);
}

static const struct fetch_ops fetch_ops = { .on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail };

static void
on_stop(void *arg)
{
	loop_quit(((struct ctl *)arg)->loop);
}

static const struct loop_ops loop_ops = { .on_stop = on_stop };

/* A name may hold what a path gives another meaning, or cannot hold. */
static void
add_part(struct buf *b, const char *name)
{
	for (; *name; name++)
		if (isalnum((unsigned char)*name) || strchr("-._~", *name))
			buf_addc(b, *name);
		else
			buf_addf(b, "%%%02X", (unsigned char)*name);
}

static char *
make_path(const struct ctl *c, const char *pattern)
{
	struct buf b;
	size_t word = 0;

	buf_init(&b, WHY_MAX);
	for (; *pattern; pattern++) {
		if (*pattern == '%')
			add_part(&b, c->words[word++]);
		else
			buf_addc(&b, *pattern);
	}
	return buf_take(&b);
}

static void
call(struct ctl *c, const struct verb *v, json_t *body)
{
	char *path = make_path(c, v->path);
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	const char *token = getenv(DOOR_TOKEN_NAME);
	char *bearer = xasprintf("Bearer %s", token ? token : "");
	const struct http1_field field = { "Authorization", bearer };
	struct fetch_pool *pool;

	buf_clear(&c->answer);
	c->loop = loop_new(&loop_ops, c);
	pool = fetch_pool_new(c->loop, NULL);
	fetch_start(pool,
	    &(struct fetch_request){ .addr = c->at,
	        .method = v->method,
	        .target = path,
	        .fields = &field,
	        .nfields = token ? 1 : 0,
	        .body = text,
	        .body_bytes = text ? strlen(text) : 0,
	        .has_body = text != NULL },
	    &fetch_ops, c);
	loop_run(c->loop);
	fetch_pool_free(pool);
	loop_free(c->loop);
	free(bearer);
	free(path);
	free(text);
}

static enum err
run(struct ctl *c, const char *name)
{
	const struct verb *v = NULL;
	json_t *body = NULL;
	enum err e = addr_parse(c->o.admin, &c->at, &c->why);

	for (size_t i = 0; i < COUNT(verbs); i++)
		if (strcmp(verbs[i].name, name) == 0)
			v = &verbs[i];
	if (e != ERR_OK)
		return e;
	if (!v || c->nwords < v->words_min || c->nwords > v->words_max)
		return why_set(&c->why, ERR_SYNTAX,
		    "ctl %.40s: %s; --help lists the verbs", name,
		    v ? "wrong number of words" : "no such verb");
	if (v->body)
		e = v->body(c, &body);
	/* A body that asked first and was refused has the answer. */
	if (e == ERR_OK && (!v->body || body))
		call(c, v, body);
	json_decref(body);
	return e;
}

/* "toxic add" is the verb "toxic-add". */
static void
take_words(struct ctl *c, const char **args, size_t nargs, char verb[VERB_MAX])
{
	size_t used = 1;

	if (nargs > 1 && strcmp(args[0], "toxic") == 0) {
		snprintf(verb, VERB_MAX, "toxic-%s", args[1]);
		used = 2;
	} else {
		snprintf(verb, VERB_MAX, "%s", args[0]);
	}
	c->nwords = nargs - used;
	memcpy(c->words, args + used, c->nwords * sizeof *args);
}

static int
show(const struct ctl *c)
{
	struct slice answer = { c->answer.data, c->answer.len };

	if (c->o.json && answer.n)
		printf(SLICE_FMT "%s", SLICE_ARG(answer),
		    answer.p[answer.n - 1] == '\n' ? "" : "\n");
	else if (!c->o.json)
		ctl_print(answer, stdout);
	return c->status < 400 ? EXIT_DONE : EXIT_JUDGED;
}

static int
run_ctl(int argc, char **argv)
{
	struct ctl c = { .o = { DEFAULT_ADMIN, "downstream", "", -1, false } };
	const char *args[WORDS_MAX];
	char verb[VERB_MAX];
	size_t nargs = 0;
	enum err e;
	int code;

	if (!command_parse(&cmd_ctl, argc, argv, &c.o, args, &nargs, &code))
		return code;
	buf_init(&c.answer, ANSWER_MAX);
	take_words(&c, args, nargs, verb);
	e = run(&c, verb);
	if (e == ERR_OK && c.status != 0)
		code = show(&c);
	else
		code = command_end(&cmd_ctl, e == ERR_OK ? ERR_ENV : e, &c.why);
	buf_done(&c.answer);
	return code;
}

const struct command cmd_ctl = { "ctl", &command, run_ctl };
