/*
 * One small request a step; they may overtake one another, so that each names
 * its row, and one that is over is not told to be under way again: a run's
 * beginning has its answer long before its end, or is passed over there.
 */
#include "chaos/trials/audit_live.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/fetch.h"
#include "base/log.h"
#include "base/mem.h"

#define FLUSH_MS     2000
#define CONNECT_MS   2000
#define COMMAND_MAX  200
#define RANDOM_BYTES 8

struct audit_live {
	struct loop *loop; /* borrowed */
	struct fetch_pool *pool;
	struct addr room;
	char *path, *bearer; /* owned; bearer NULL: no token */
	size_t open;         /* requests on their way */
	bool is_lost;        /* it does not answer, or does not want us */
};

struct audit_live *
audit_live_new(struct loop *l, const struct addr *room, const char *token)
{
	struct audit_live *v = xcalloc(1, sizeof *v);
	uint8_t bytes[DIGEST_BYTES] = { 0 };
	char hex[DIGEST_HEX];

	digest_random(bytes, RANDOM_BYTES);
	digest_hex(bytes, hex);
	v->loop = l;
	v->room = *room;
	v->path = xasprintf("/ui/audits/%.*s", 2 * RANDOM_BYTES, hex);
	v->bearer = token ? xasprintf("Bearer %s", token) : NULL;
	v->pool = fetch_pool_new(l,
	    &(struct fetch_pool_conf){ .connect_timeout_ms = CONNECT_MS });
	return v;
}

void
audit_live_free(struct audit_live *v)
{
	uint64_t until;

	if (!v)
		return;
	until = clock_mono_ms() + FLUSH_MS;
	while (v->open > 0 && !v->is_lost && clock_mono_ms() < until)
		event_base_loop(loop_base(v->loop), EVLOOP_ONCE);
	fetch_pool_free(v->pool);
	free(v->path);
	free(v->bearer);
	free(v);
}

static void
lose(struct audit_live *v, const char *text)
{
	char at[ADDR_TEXT_MAX];

	addr_format(&v->room, at);
	if (!v->is_lost)
		log_warn("room", "%s: %s; it is not told any more", at, text);
	v->is_lost = true;
}

static void
on_end(struct fetch *f, void *arg)
{
	struct audit_live *v = arg;

	v->open--;
	if (fetch_status(f) != 200)
		lose(v,
		    fetch_status(f) == 401 ? "it wants its token"
		                           : "no control room of kf-chaos");
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct audit_live *v = arg;

	(void)f;
	(void)fail;
	v->open--;
	lose(v, text);
}

static const struct fetch_ops ops = { .on_end = on_end, .on_fail = on_fail };

/* What was typed, as far as it fits. */
static char *
command_of(const struct audit *a)
{
	char *text = xcalloc(1, COMMAND_MAX + 1);
	size_t n = 0;

	for (char *const *word = a->conf->command; *word && n < COMMAND_MAX;
	     word++)
		n += (size_t)snprintf(text + n, COMMAND_MAX + 1 - n, "%s%s",
		    n ? " " : "", *word);
	return text;
}

static json_t *
row_of(const struct audit *a, const struct audit_row *row, bool is_over)
{
	char name[CONDUCT_EVIDENCE_MAX];
	const struct audit_finding *worst = audit_worst(row);
	json_t *v;

	audit_row_name(a, row, name, sizeof name);
	v = json_pack("{ss ss si}", "case", name, "verdict",
	    is_over ? audit_verdict_word(row->verdict) : "running", "severity",
	    audit_severity(row));
	/* Words of a client's need not be UTF-8. */
	json_object_set_new(v, "how",
	    worst ? json_sprintf("%s: %s", worst->rule->title, worst->evidence)
	          : json_string(is_over ? row->summary : ""));
	json_object_set_new(v, "said", json_string(row->words));
	if (!json_object_get(v, "how"))
		json_object_set_new(v, "how", json_string("?"));
	if (!json_object_get(v, "said"))
		json_object_set_new(v, "said", json_string("?"));
	return v;
}

void
audit_live_tell(struct audit_live *v, const struct audit *a,
    const struct audit_row *row, bool is_over)
{
	struct http1_field fields[2] = { { "x-kf-room", "1" },
		{ "Authorization", NULL } };
	size_t at = row == &a->jitter ? a->nrows : (size_t)(row - a->rows);
	char *command, *text;
	json_t *said;

	if (!v || v->is_lost)
		return;
	fields[1].value = v->bearer;
	command = command_of(a);
	said = json_pack("{ss? sI sI so}", "command", command, "total",
	    (json_int_t)a->nrows + 1, "at", (json_int_t)at, "row",
	    row_of(a, row, is_over));
	text = said ? json_dumps(said, JSON_COMPACT) : NULL;
	if (text) {
		v->open++;
		(void)fetch_start(v->pool,
		    &(struct fetch_request){ .addr = v->room,
		        .method = "POST",
		        .target = v->path,
		        .fields = fields,
		        .nfields = v->bearer ? 2 : 1,
		        .body = text,
		        .body_bytes = strlen(text),
		        .has_body = true },
		    &ops, v);
	}
	free(text);
	free(command);
	json_decref(said);
}
