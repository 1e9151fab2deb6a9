/*
 * kf-chaos ctl: drives the admin API of a running proxy (ours or a real
 * Toxiproxy) from a shell.  A verb is a row of the table: its words become a
 * path and a body, the answer is printed as it came.
 */
#include "chaos/commands.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fetch.h"
#include "base/mem.h"
#include "base/opts.h"

#define DEFAULT_ADMIN "127.0.0.1:8474"
#define WORDS_MAX     32
#define ANSWER_MAX    ((size_t)8 << 20)

struct options {
	const char *admin, *stream, *name;
	int64_t percent;
};

/* clang-format off */
static const struct opt rows[] = {
	{ "admin",    OPT_STRING, offsetof(struct options, admin),   0, 0,   "HOST:PORT", "where the admin API is; default " DEFAULT_ADMIN },
	{ "stream",   OPT_STRING, offsetof(struct options, stream),  0, 0,   "STREAM",    "of a new toxic: upstream or downstream, the default" },
	{ "name",     OPT_STRING, offsetof(struct options, name),    0, 0,   "NAME",      "of a new toxic; default TYPE_STREAM" },
	{ "toxicity", OPT_INT,    offsetof(struct options, percent), 0, 100, "PERCENT",   "the share of connections a toxic touches; default 100" },
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos ctl",
	.usage = "VERB ...",
	.about = "Drives a running proxy:\n"
	         "  list | inspect PROXY | create PROXY LISTEN UPSTREAM\n"
	         "  enable PROXY | disable PROXY | delete PROXY | reset\n"
	         "  toxic-add PROXY TYPE [KEY=NUMBER...]\n"
	         "  toxic-update PROXY TOXIC [KEY=NUMBER...]\n"
	         "  toxic-remove PROXY TOXIC | version | metrics",
	.rows = rows,
	.nrows = sizeof rows / sizeof rows[0],
	.args_min = 1,
	.args_max = WORDS_MAX,
};

struct ctl {
	struct options o;
	const char *words[WORDS_MAX]; /* after the verb */
	size_t nwords;
	struct loop *loop;
	struct buf answer;
	int status; /* 0: none came */
	struct why why;
};

typedef enum err body_maker(struct ctl *c, json_t **ret);

static body_maker create_body, disable_body, empty_body, enable_body,
    toxic_add_body, toxic_update_body;

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
	{ "list",         "GET",    "/proxies",            0, 0,         NULL              },
	{ "metrics",      "GET",    "/metrics",            0, 0,         NULL              },
	{ "reset",        "POST",   "/reset",              0, 0,         empty_body        },
	{ "toxic-add",    "POST",   "/proxies/%/toxics",   2, WORDS_MAX, toxic_add_body    },
	{ "toxic-remove", "DELETE", "/proxies/%/toxics/%", 2, 2,         NULL              },
	{ "toxic-update", "POST",   "/proxies/%/toxics/%", 2, WORDS_MAX, toxic_update_body },
	{ "version",      "GET",    "/version",            0, 0,         NULL              },
};
/* clang-format on */

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

/* KEY=NUMBER words from the third on. */
static enum err
attributes(struct ctl *c, json_t **ret)
{
	json_t *v = json_object();

	for (size_t i = 2; i < c->nwords; i++) {
		const char *equals = strchr(c->words[i], '=');
		char *end = NULL, *key;
		long long n = equals ? strtoll(equals + 1, &end, 10) : 0;

		if (!end || end == equals + 1 || *end) {
			json_decref(v);
			return why_set(&c->why, ERR_SYNTAX,
			    "found \"%.60s\", expected KEY=NUMBER",
			    c->words[i]);
		}
		key = xstrndup(c->words[i], (size_t)(equals - c->words[i]));
		json_object_set_new(v, key, json_integer(n));
		free(key);
	}
	*ret = v;
	return ERR_OK;
}

static enum err
toxic_update_body(struct ctl *c, json_t **ret)
{
	json_t *v = NULL;
	enum err e = attributes(c, &v);

	if (e != ERR_OK)
		return e;
	*ret = json_pack("{so}", "attributes", v);
	if (c->o.percent >= 0)
		json_object_set_new(*ret, "toxicity",
		    json_real((double)c->o.percent / 100));
	return e;
}

static enum err
toxic_add_body(struct ctl *c, json_t **ret)
{
	enum err e = toxic_update_body(c, ret);

	if (e != ERR_OK)
		return e;
	json_object_set_new(*ret, "type", json_string(c->words[1]));
	json_object_set_new(*ret, "stream", json_string(c->o.stream));
	json_object_set_new(*ret, "name", json_string(c->o.name));
	return e;
}

/* ---- the call */

static void
on_head(struct fetch *f, const struct http1_head *h, void *arg)
{
	(void)f;
	((struct ctl *)arg)->status = h->status;
}

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	(void)f;
	buf_add(&((struct ctl *)arg)->answer, p, n);
}

static void
on_end(struct fetch *f, void *arg)
{
	(void)f;
	loop_quit(((struct ctl *)arg)->loop);
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

static const struct fetch_ops fetch_ops = { on_head, on_data, on_end, on_fail };

static void
on_stop(void *arg)
{
	loop_quit(((struct ctl *)arg)->loop);
}

static const struct loop_ops loop_ops = { .on_stop = on_stop };

static char *
make_path(const struct ctl *c, const char *pattern)
{
	struct buf b;
	size_t word = 0;

	buf_init(&b, WHY_MAX);
	for (; *pattern; pattern++) {
		if (*pattern == '%')
			buf_adds(&b, c->words[word++]);
		else
			buf_addc(&b, *pattern);
	}
	return buf_take(&b);
}

static void
call(struct ctl *c, const struct addr *at, const struct verb *v, json_t *body)
{
	char *path = make_path(c, v->path);
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	struct fetch_pool *pool;

	c->loop = loop_new(&loop_ops, c);
	pool = fetch_pool_new(c->loop, NULL);
	fetch_start(pool,
	    &(struct fetch_request){ .addr = *at,
	        .method = v->method,
	        .target = path,
	        .body = text,
	        .body_bytes = text ? strlen(text) : 0,
	        .has_body = text != NULL },
	    &fetch_ops, c);
	loop_run(c->loop);
	fetch_pool_free(pool);
	loop_free(c->loop);
	free(path);
	free(text);
}

static enum err
run(struct ctl *c, const char *name)
{
	const struct verb *v = NULL;
	json_t *body = NULL;
	struct addr at;
	enum err e = addr_parse(c->o.admin, &at, &c->why);

	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
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
	if (e == ERR_OK)
		call(c, &at, v, body);
	json_decref(body);
	return e;
}

int
cmd_ctl(int argc, char **argv)
{
	struct ctl c = { .o = { DEFAULT_ADMIN, "downstream", "", -1 } };
	const char *args[WORDS_MAX];
	size_t nargs = 0;
	int code = EXIT_DONE;
	enum err e =
	    opts_parse(&command, argc, argv, &c.o, args, &nargs, &c.why);

	if (e == ERR_STATE)
		return EXIT_DONE;
	buf_init(&c.answer, ANSWER_MAX);
	if (e == ERR_OK) {
		c.nwords = nargs - 1;
		memcpy(c.words, args + 1, c.nwords * sizeof *args);
		e = run(&c, args[0]);
	}
	if (e != ERR_OK || c.status == 0) {
		fprintf(stderr, "kf-chaos: %s\n", c.why.text);
		code = e != ERR_OK ? EXIT_USAGE : EXIT_ENV;
	} else {
		if (c.answer.len)
			printf("%s%s", c.answer.data,
			    c.answer.data[c.answer.len - 1] == '\n' ? ""
			                                            : "\n");
		code = c.status < 400 ? EXIT_DONE : EXIT_JUDGED;
	}
	buf_done(&c.answer);
	return code;
}
