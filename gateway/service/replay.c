/*
 * Only what the log holds can be replayed: the model that was asked for and
 * the metadata that is logged.  Where a rule draws (weight, latency), a
 * target of the same rule is no difference.  What was refused for what else it
 * said is not judged, and no cost of a request that several attempts may have
 * billed, of which the log has the sum of their tokens.
 */
#include "gateway/service/replay.h"

#include "base/columns.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/mem.h"
#include "base/metadata_header.h"
#include "gateway/exchange/decision_record.h"
#include "gateway/routing/route.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LOG_MAX        (256U << 20)
#define NAME_MAX_BYTES 64 /* of a pair of metadata */

struct replay {
	const struct conf *conf;
	FILE *out;
	unsigned requests, differ, fail, unknown, untold;
	double cost_then, cost_now;
};

static uint64_t
count_of(json_t *line, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(line, key));

	return v > 0 ? (uint64_t)v : 0;
}

/* Whether the rule could have chosen that target by its draw. */
static bool
may_draw(const struct conf_rule *rule, const char *target)
{
	if (rule->kind == CONF_PRIORITY)
		return false;
	for (size_t i = 0; i < rule->ntargets; i++)
		if (strcmp(rule->targets[i].name, target) == 0)
			return true;
	return false;
}

/* What it would cost on that target; at the price of the day's start. */
static double
cost_on(const struct replay *r, json_t *line, const char *target)
{
	struct cost_usage u = { count_of(line, "tokens_in"),
		count_of(line, "tokens_out"), 0 };

	return (double)cost_nano(conf_price(r->conf, target), &u, 0) / COST_USD;
}

/* Attempts that may have cost something: an error is not billed. */
static unsigned
bills_of(json_t *line)
{
	json_t *try;
	unsigned n = 0;
	size_t i;

	json_array_foreach(json_object_get(line, "attempts"), i, try)
		n += count_of(try, "status") < 300;
	return n;
}

static void
compare(struct replay *r, json_t *line, const char *now)
{
	const char *then = jlenient_text(line, "target");

	if (strcmp(now, then) != 0) {
		r->differ++;
		columns_say(r->out, "%s: from=%s: %s -> %s",
		    jlenient_text(line, "request"), jlenient_text(line, "from"),
		    then, now);
	}
	if (bills_of(line) > 1)
		return;
	r->cost_then += json_number_value(json_object_get(line, "cost_usd"));
	r->cost_now += cost_on(r, line, now);
}

/* A request that fell back is judged by where it would begin. */
static const char *
first_target(json_t *line)
{
	json_t *attempts = json_object_get(line, "attempts");
	const char *first = json_string_value(
	    json_object_get(json_array_get(attempts, 0), "target"));

	return first ? first : jlenient_text(line, "target");
}

static const struct schema *
api_of(json_t *line)
{
	const char *name = jlenient_text(line, "api");

	for (unsigned i = 0; i < SCHEMA_NKINDS; i++)
		if (strcmp(schema_names[i], name) == 0)
			return schema_of((enum schema_kind)i);
	return schema_of(SCHEMA_CHAT);
}

/* Nobody was asked then: for want of a target (404), of which this tells
 * whether there is one now, or for another reason, which the log has not. */
static void
replay_refused(struct replay *r, json_t *line, const struct route_order *order)
{
	const struct schema *api = api_of(line);

	if (count_of(line, "status") != 404) {
		r->unknown++;
		return;
	}
	for (size_t i = 0; i < order->n; i++)
		if (conf_asked_in(order->targets[i]->provider, api)) {
			compare(r, line, order->targets[i]->name);
			return;
		}
}

/* Whether a rule asks for pairs of metadata of which the log keeps no word. */
static bool
asks_unkept(const struct ynode *pairs)
{
	for (const struct ynode *n = pairs ? pairs->first : NULL; n;
	     n = n->next)
		if (!record_keeps(n->key))
			return true;
	return false;
}

/* For a header that the log does not keep; of metadata's it has some pairs. */
static bool
asks_header(const struct conf_rule *rule)
{
	char name[NAME_MAX_BYTES];
	size_t n;

	if (!rule->header)
		return false;
	n = strcspn(rule->header_contains, "=");
	if (strcasecmp(rule->header, "x-tfy-metadata") != 0 ||
	    !rule->header_contains[n] || n >= sizeof name)
		return true;
	memcpy(name, rule->header_contains, n);
	name[n] = '\0';
	return !record_keeps(name);
}

/* Whether a rule up to the one that is found may have been meant, or one of its
 * targets, by what the log does not say. */
static bool
is_untold(const struct replay *r, const struct route_ask *ask,
    const struct conf_rule *found)
{
	for (size_t i = 0; i < r->conf->nrules; i++) {
		const struct conf_rule *rule = &r->conf->rules[i];

		if (route_when(rule->subjects, rule->models, NULL, ask) &&
		    (!rule->virtual_model ||
		        strcmp(rule->virtual_model, ask->model) == 0) &&
		    (asks_unkept(rule->metadata) || asks_header(rule)))
			return true;
		if (rule == found)
			break;
	}
	for (size_t i = 0; found && i < found->ntargets; i++)
		if (asks_unkept(found->targets[i].metadata))
			return true;
	return false;
}

static void
replay_line(struct replay *r, json_t *line)
{
	struct route_ask ask = { jlenient_text(line, "subject"),
		jlenient_text(line, "from"), line, NULL, NULL };
	const struct conf_rule *rule = route_match(r->conf, &ask);
	struct conf_target *direct = NULL;
	struct route_order order = { .n = 0 };
	const char *then = first_target(line);

	if (!*ask.model)
		return;
	r->requests++;
	if (is_untold(r, &ask, rule)) {
		r->untold++;
		return;
	}
	if (rule)
		route_targets(rule, &ask, NULL, 0, &order);
	else if ((direct = conf_direct_target(r->conf, ask.model)))
		order.targets[order.n++] = direct;
	if (!*then && json_object_get(line, "status")) {
		replay_refused(r, line, &order);
	} else if (order.n == 0) {
		r->fail++;
		columns_say(r->out, "%s: from=%s: would fail: model_not_found",
		    jlenient_text(line, "request"), ask.model);
	} else if ((rule && may_draw(rule, then)) ||
	    strcmp(order.targets[0]->name, then) == 0) {
		compare(r, line, jlenient_text(line, "target"));
	} else {
		compare(r, line, order.targets[0]->name);
	}
	free(direct);
}

/* It was begun as one: a disk was full, or who wrote it was killed. */
static bool
is_torn(const char *p, size_t n, const json_error_t *e)
{
	return *p == '{' && !memchr(p, '\0', n) &&
	    json_error_code(e) != json_error_invalid_utf8;
}

static enum err
replay_text(struct replay *r, const char *name, struct slice text,
    struct why *why)
{
	const char *end, *p = text.p, *last = text.p + text.n;
	unsigned number = 0;
	json_error_t error;
	json_t *line;

	for (; p < last; p = end) {
		size_t left = (size_t)(last - p);

		number++;
		end = memchr(p, '\n', left);
		left = end ? (size_t)(end - p) : left;
		line = json_loadb(p, left, 0, &error);
		/* The last one may be still being written. */
		if (!line && is_torn(p, left, &error)) {
			if (!end)
				return ERR_OK;
			fprintf(stderr,
			    "kf-gateway: warning: %s:%u: a torn line is "
			    "passed over\n",
			    name, number);
			end++;
			continue;
		}
		end = p + left + (end != NULL);
		if (!json_is_object(line)) {
			json_decref(line);
			return why_set(why, ERR_SYNTAX,
			    "%s:%u: expected a JSON object", name, number);
		}
		replay_line(r, line);
		json_decref(line);
	}
	return ERR_OK;
}

static enum err
load(const char *config, struct conf **ret, struct why *why)
{
	struct findings f;

	findings_init(&f, config);
	f.is_offline = true;
	*ret = conf_load(config, &f);
	if (!*ret)
		why_set(why, ERR_SYNTAX, "%s", f.first_error);
	findings_done(&f);
	return *ret ? ERR_OK : ERR_SYNTAX;
}

enum exit_code
replay_run(const char *log, const char *config, FILE *out)
{
	struct replay r = { .out = out };
	struct conf *conf = NULL;
	char *text = NULL;
	size_t n = 0;
	struct why why;
	enum err e;

	if ((e = load(config, &conf, &why)) == ERR_OK)
		e = files_read(log, LOG_MAX, &text, &n, &why);
	r.conf = conf;
	if (e == ERR_OK)
		e = replay_text(&r, log, (struct slice){ text, n }, &why);
	free(text);
	conf_unref(conf);
	if (e != ERR_OK) {
		fprintf(stderr, "kf-gateway: %s\n", why.text);
		return EXIT_USAGE;
	}
	columns_say(out,
	    "%u requests: %u would go elsewhere, %u would fail; cost %.6f -> "
	    "%.6f USD",
	    r.requests, r.differ, r.fail, r.cost_then, r.cost_now);
	if (r.unknown)
		columns_say(out,
		    "%u were refused for what they asked, which the log does "
		    "not have",
		    r.unknown);
	if (r.untold)
		columns_say(out,
		    "%u cannot be told: a rule asks for metadata or a header "
		    "that the log does not have",
		    r.untold);
	return r.differ || r.fail || fabs(r.cost_then - r.cost_now) > 5e-10
	    ? EXIT_JUDGED
	    : EXIT_DONE;
}
