/*
 * kf-gateway keys, spend and requests: what a store holds, by opening the file
 * itself; a gateway that runs on it need not be asked, and learns of a changed
 * key within a second.
 */
#include "gateway/cmd_store.h"

#include "base/clock.h"
#include "base/columns.h"
#include "base/mask.h"
#include "base/mem.h"
#include "gateway/conf/conf.h"
#include "gateway/store/client_keys.h"
#include "gateway/store/journal_fold.h"
#include "gateway/store/spend_book.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MAX   (256U << 20)
#define ROWS_DEFAULT 50

struct fields {
	const char *config, *store;
	struct keys_wish wish;
	const char *by, *since, *key, *model, *status;
	int64_t rows;
	bool json;
};

#define OFF(m) offsetof(struct fields, m)

/* clang-format off */
static const struct opt keys_rows[] = {
	{ "budget",  OPT_STRING, OFF(wish.budget),  0, 0,       "USD",   "create: dollars it may spend; as many as it likes without it." },
	{ "config",  OPT_STRING, OFF(config),       0, 0,       "FILE",  "The configuration that names the store." },
	{ "expires", OPT_STRING, OFF(wish.expires), 0, 0,       "WHEN",  "create: 90d, 12h, 30m, 60s or a day, 2027-01-31; never without it." },
	{ "json",    OPT_FLAG,   OFF(json),         0, 0,       NULL,    "Print JSON." },
	{ "models",  OPT_STRING, OFF(wish.models),  0, 0,       "LIST",  "create: models it may ask for, comma between, * at an end; all without it." },
	{ "per",     OPT_STRING, OFF(wish.per),     0, 0,       "SPAN",  "create: the budget is for a day, week, month or ever; month." },
	{ "rate",    OPT_INT,    OFF(wish.rate),    0, 1000000, "N",     "create: requests a minute; 0, as many as it likes." },
	{ "store",   OPT_STRING, OFF(store),        0, 0,       "FILE",  "The store itself, instead of --config." },
	{ "subject", OPT_STRING, OFF(wish.subject), 0, 0,       "NAME",  "create: whom rules take it for; key:NAME." },
};

static const struct opt spend_rows[] = {
	{ "by",     OPT_STRING, OFF(by),     0, 0, "WHAT", "key, model or day; key." },
	{ "config", OPT_STRING, OFF(config), 0, 0, "FILE", "The configuration that names the store." },
	{ "json",   OPT_FLAG,   OFF(json),   0, 0, NULL,   "Print JSON." },
	{ "since",  OPT_STRING, OFF(since),  0, 0, "WHEN", "7d, or a day, 2026-11-22: whole days (UTC); from the beginning without it." },
	{ "store",  OPT_STRING, OFF(store),  0, 0, "FILE", "The store itself, instead of --config." },
};

static const struct opt requests_rows[] = {
	{ "config", OPT_STRING, OFF(config), 0, 0,       "FILE", "The configuration that names the store." },
	{ "json",   OPT_FLAG,   OFF(json),   0, 0,       NULL,   "Print JSON, with attempts, and bodies where they are kept." },
	{ "key",    OPT_STRING, OFF(key),    0, 0,       "NAME", "Of that key (or the subject of one of the configuration)." },
	{ "model",  OPT_STRING, OFF(model),  0, 0,       "NAME", "That asked for that model, or ended at that target." },
	{ "rows",   OPT_INT,    OFF(rows),   1, 1000000, "N",    "The newest N; 50." },
	{ "since",  OPT_STRING, OFF(since),  0, 0,       "WHEN", "7d, 12h, 30m, 60s ago, or a day, 2026-11-22." },
	{ "status", OPT_STRING, OFF(status), 0, 0,       "N",    "That ended with that status; open: that have not ended." },
	{ "store",  OPT_STRING, OFF(store),  0, 0,       "FILE", "The store itself, instead of --config." },
};
/* clang-format on */

static const struct opt_command keys_command = { "kf-gateway keys",
	"create|list|show|revoke [NAME]",
	"Makes, shows and revokes the keys that people hand out. A key is "
	"printed "
	"once, when it is made; the store keeps a hash of it.",
	keys_rows, COUNT(keys_rows), 1, 2,
	"kf-gateway keys create ann --budget 5\tprint a key for ann\n"
	"kf-gateway keys list\tall of them, with what they spent\n"
	"kf-gateway keys revoke ann\tit opens nothing any more\n" };

static const struct opt_command spend_command = { "kf-gateway spend", "",
	"Says what was spent, also by requests that have not ended yet.",
	spend_rows, COUNT(spend_rows), 0, 0,
	"kf-gateway spend --by model --since 7d\twhat each cost in a week\n" };

static const struct opt_command requests_command = { "kf-gateway requests", "",
	"Searches the requests that a store keeps, the newest first.",
	requests_rows, COUNT(requests_rows), 0, 0,
	"kf-gateway requests --key ann --status 502\tthose that failed\n" };

static int
fail(const struct why *why, enum err e)
{
	fprintf(stderr, "kf-gateway: %s\n", why->text);
	return (int)err_exit_code(e);
}

/* ---- the store */

/* The store of the configuration; what else is wrong there is no matter. */
static enum err
path_of(const struct fields *in, char **ret, struct why *why)
{
	struct findings f;
	struct conf *c;
	enum err e = ERR_OK;

	*ret = NULL;
	if (in->store) {
		*ret = xstrdup(in->store);
		return ERR_OK;
	}
	if (!in->config)
		return why_set(why, ERR_SYNTAX,
		    "--store FILE or --config FILE is missing");
	findings_init(&f, in->config);
	f.is_offline = true;
	c = conf_load(in->config, &f);
	if (!c)
		e = why_set(why, ERR_SYNTAX, "%s", f.first_error);
	else if (!c->store.path)
		e = why_set(why, ERR_SYNTAX,
		    "%s has no store: add store: {path: FILE}", in->config);
	else
		*ret = xstrdup(c->store.path);
	findings_done(&f);
	conf_unref(c);
	return e;
}

static enum err
open_it(const struct fields *in, enum store_mode mode, struct store **ret,
    struct why *why)
{
	struct store_conf conf = { .is_synced = true };
	char *path;
	enum err e = path_of(in, &path, why);

	if (e != ERR_OK)
		return e;
	conf.path = path;
	e = store_open(&conf, mode, ret, why);
	/* What gateways have not put into it yet. */
	if (e == ERR_OK && mode == STORE_USE &&
	    fold_others(*ret, store_conf(*ret)->path, NULL) != ERR_OK) {
		(void)store_why(*ret, why);
		fprintf(stderr,
		    "kf-gateway: %s; what gateways have in their journals is "
		    "not counted here\n",
		    why->text);
	}
	free(path);
	return e;
}

/* ---- tables */

struct column {
	const char *key, *title;
	int width; /* negative: on the left */
};

#define CELL_BYTES  128
#define COLUMNS_MAX 12

static void
cell_text(json_t *v, char text[CELL_BYTES])
{
	if (json_is_array(v) && json_array_size(v) > 0) {
		char *list = json_dumps(v, JSON_COMPACT);

		snprintf(text, CELL_BYTES, "%s", list);
		free(list);
	} else if (json_is_integer(v)) {
		snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT,
		    json_integer_value(v));
	} else if (json_is_real(v)) {
		snprintf(text, CELL_BYTES, "%.6f", json_real_value(v));
	} else {
		snprintf(text, CELL_BYTES, "%s",
		    json_is_string(v) ? json_string_value(v) : "-");
	}
}

/* As wide as the widest cell of each column; the sum, with what is between. */
static int
measure(json_t *rows, const struct column *columns, size_t n,
    int widths[COLUMNS_MAX])
{
	char text[CELL_BYTES];
	json_t *row;
	size_t i;
	int sum = 0;

	for (size_t k = 0; k < n; k++) {
		widths[k] = abs(columns[k].width);
		json_array_foreach(rows, i, row) {
			cell_text(json_object_get(row, columns[k].key), text);
			if ((int)strlen(text) > widths[k])
				widths[k] = (int)strlen(text);
		}
		sum += widths[k] + (k > 0 ? 2 : 0);
	}
	return sum;
}

/* Where the table is too wide: each row as its cells, one below the other. */
static void
print_records(json_t *rows, const struct column *columns, size_t n)
{
	char text[CELL_BYTES];
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		for (size_t k = 0; k < n; k++) {
			cell_text(json_object_get(row, columns[k].key), text);
			columns_put_last(text,
			    printf("%s%s: ", k > 0 ? "  " : "",
			        columns[k].title),
			    stdout);
		}
}

/* One cell, on the side that its column says. */
static void
put_cell(const char *text, const struct column *c, int width, bool is_last)
{
	if (is_last && c->width < 0)
		printf("%s\n", text);
	else
		printf("%*s%s", c->width < 0 ? -width : width, text,
		    is_last ? "\n" : "  ");
}

static void
print_table(json_t *rows, const struct column *columns, size_t n)
{
	int widths[COLUMNS_MAX], said = columns_said(stdout);
	char text[CELL_BYTES];
	json_t *row;
	size_t i;

	if (measure(rows, columns, n, widths) > said && said > 0) {
		print_records(rows, columns, n);
		return;
	}
	for (size_t k = 0; k < n; k++)
		put_cell(columns[k].title, &columns[k], widths[k], k + 1 == n);
	json_array_foreach(rows, i, row)
		for (size_t k = 0; k < n; k++) {
			cell_text(json_object_get(row, columns[k].key), text);
			put_cell(text, &columns[k], widths[k], k + 1 == n);
		}
}

/* Rows of JSON with commas between, as a table or as they are. */
static int
show(const struct buf *rows, const struct fields *in,
    const struct column *columns, size_t n)
{
	char *text = xasprintf("[%s]", rows->data ? rows->data : "");
	json_t *all = json_loads(text, 0, NULL);

	if (in->json)
		puts(text);
	else
		print_table(all, columns, n);
	json_decref(all);
	free(text);
	return EXIT_DONE;
}

/* ---- keys */

static const struct column key_columns[] = { { "name", "name", -24 },
	{ "state", "state", -8 }, { "subject", "subject", -24 },
	{ "models", "models", -24 }, { "requests_per_minute", "rate/min", 8 },
	{ "budget_usd", "budget", 12 }, { "per", "per", -6 },
	{ "spent_usd", "spent", 12 }, { "expires", "expires", -20 } };

/* False: it was not written whole, so nobody has it. */
static bool
tell_key(const char *name, const char *key, bool is_json)
{
	json_t *said;

	if (is_json) {
		said = json_pack("{ss ss}", "name", name, "key", key);
		json_dumpf(said, stdout, JSON_COMPACT);
		puts("");
		json_decref(said);
	} else {
		puts(key);
	}
	return fflush(stdout) == 0 && !ferror(stdout);
}

/* A key that could not be told opens a door to nobody, and its name is free. */
static int
take_back(struct store *s, const char *name)
{
	struct why why = { "" };
	char shown[128];

	if (keys_forget(s, name, &why) == ERR_OK)
		why_set(&why, ERR_ENV,
		    "the key of %.64s could not be written, so it was not made",
		    name);
	else {
		mask_format(shown, sizeof shown, "%s", name);
		fprintf(stderr,
		    "kf-gateway: the key of %s could not be written: revoke "
		    "it\n",
		    shown);
	}
	return fail(&why, ERR_ENV);
}

static int
create(struct store *s, const char *name, struct fields *in)
{
	char key[KEYS_TEXT_BYTES], shown[128];
	struct why why = { "" };
	enum err e;

	in->wish.name = name;
	e = keys_create(s, &in->wish, clock_wall_ms(), key, &why);
	if (e != ERR_OK)
		return fail(&why, e);
	if (!tell_key(name, key, in->json))
		return take_back(s, name);
	/* The name could be a key of somebody's, given in its place. */
	mask_format(shown, sizeof shown, "%s", name);
	if (!in->json)
		fprintf(stderr,
		    "kf-gateway: this is the key of %s; it is not shown "
		    "again\n",
		    shown);
	return EXIT_DONE;
}

static int
list(struct store *s, const char *name, struct fields *in)
{
	struct why why = { "" };
	struct buf b;
	int rc;

	buf_init(&b, ANSWER_MAX);
	if (keys_list(s, name, clock_wall_ms(), &b) != ERR_OK)
		rc = fail(&why, store_why(s, &why));
	else if (name && b.len == 0)
		rc = fail(&why,
		    why_set(&why, ERR_NOTFOUND, "no key is called %.64s",
		        name));
	else
		rc = show(&b, in, key_columns, COUNT(key_columns));
	buf_done(&b);
	return rc;
}

static int
revoke(struct store *s, const char *name, struct fields *in)
{
	struct why why = { "" };
	enum err e = keys_revoke(s, name, clock_wall_ms(), &why);

	(void)in;
	return e == ERR_OK ? (int)EXIT_DONE : fail(&why, e);
}

static const struct verb {
	const char *name;
	bool takes_name;
	int (*run)(struct store *s, const char *name, struct fields *in);
} verbs[] = {
	{ "create", true, create },
	{ "list", false, list },
	{ "revoke", true, revoke },
	{ "show", true, list },
};

static const struct verb *
find_verb(const char *word, size_t nargs, struct why *why)
{
	for (size_t i = 0; i < COUNT(verbs); i++) {
		if (strcmp(verbs[i].name, word) != 0)
			continue;
		if (nargs == 1 + (size_t)verbs[i].takes_name)
			return &verbs[i];
		why_set(why, ERR_SYNTAX, "keys %s: expected %s NAME", word,
		    verbs[i].takes_name ? "one" : "no");
		return NULL;
	}
	why_set(why, ERR_SYNTAX,
	    "keys: found %.40s, expected create, list, show or revoke", word);
	return NULL;
}

static int
run_keys(int argc, char **argv)
{
	struct fields in = { .by = "key" };
	const char *args[2] = { NULL, NULL };
	const struct verb *verb;
	struct store *s = NULL;
	struct why why = { "" };
	size_t nargs;
	enum err e;
	int rc;

	if (!command_parse(&cmd_keys, argc, argv, &in, args, &nargs, &rc))
		return rc;
	if (!(verb = find_verb(args[0], nargs, &why)))
		return fail(&why, ERR_SYNTAX);
	e = open_it(&in, verb->run == create ? STORE_MAKE : STORE_USE, &s,
	    &why);
	if (e != ERR_OK)
		return fail(&why, e == ERR_NOTFOUND ? ERR_SYNTAX : e);
	rc = verb->run(s, args[1], &in);
	store_close(s);
	return rc;
}

/* ---- spend and requests */

typedef enum err ask_fn(struct store *s, const struct book_question *q,
    struct buf *out);

static int
ask(const struct fields *in, ask_fn *fn, struct book_question *q,
    const struct column *columns, size_t n)
{
	struct store *s = NULL;
	struct why why = { "" };
	struct buf b;
	enum err e = ERR_OK;
	int rc;

	if (in->since)
		e = book_since(in->since, clock_wall_ms(), &q->since_ms, &why);
	if (e == ERR_OK)
		e = open_it(in, STORE_USE, &s, &why);
	if (e != ERR_OK)
		return fail(&why, e == ERR_NOTFOUND ? ERR_SYNTAX : e);
	buf_init(&b, ANSWER_MAX);
	if (fn(s, q, &b) == ERR_OK)
		rc = show(&b, in, columns, n);
	else
		rc = fail(&why, store_why(s, &why));
	buf_done(&b);
	store_close(s);
	return rc;
}

static int
run_spend(int argc, char **argv)
{
	struct column columns[] = { { "key", "key", -36 },
		{ "requests", "requests", 10 },
		{ "tokens_in", "tokens in", 12 },
		{ "tokens_out", "tokens out", 12 }, { "cost_usd", "USD", 14 } };
	struct fields in = { .by = "key" };
	struct book_question q = { .by = NULL };
	struct why why = { "" };
	size_t nargs;
	int rc;

	if (!command_parse(&cmd_spend, argc, argv, &in, NULL, &nargs, &rc))
		return rc;
	if (strcmp(in.by, "key") != 0 && strcmp(in.by, "model") != 0 &&
	    strcmp(in.by, "day") != 0)
		return fail(&why,
		    why_set(&why, ERR_SYNTAX,
		        "--by: found %.40s, expected key, model or day",
		        in.by));
	q.by = columns[0].key = columns[0].title = in.by;
	return ask(&in, book_spend, &q, columns, COUNT(columns));
}

static int
run_requests(int argc, char **argv)
{
	static const struct column columns[] = { { "at", "at", -24 },
		{ "key", "key", -16 }, { "model", "model", -20 },
		{ "target", "target", -28 }, { "status", "status", 6 },
		{ "outcome", "outcome", -12 }, { "tokens_in", "in", 7 },
		{ "tokens_out", "out", 7 }, { "cost_usd", "USD", 12 },
		{ "ms", "ms", 7 } };
	struct fields in = { .rows = ROWS_DEFAULT };
	struct book_question q = { .status = -1 };
	struct why why = { "" };
	size_t nargs;
	int rc;

	if (!command_parse(&cmd_requests, argc, argv, &in, NULL, &nargs, &rc))
		return rc;
	q.key = in.key;
	q.model = in.model;
	q.rows_max = in.rows;
	if (in.status && !book_status(in.status, &q.status, &why))
		return fail(&why, ERR_SYNTAX);
	return ask(&in, book_requests, &q, columns, COUNT(columns));
}

const struct command cmd_keys = { "keys", &keys_command, run_keys };
const struct command cmd_requests = { "requests", &requests_command,
	run_requests };
const struct command cmd_spend = { "spend", &spend_command, run_spend };
