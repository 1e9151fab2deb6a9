/*
 * kf-gateway prices: what is built in, with its date; or, with a
 * configuration, what each of its targets is counted at and who says so.
 */
#include "gateway/cmd_prices.h"

#include "base/buf.h"
#include "base/columns.h"
#include "gateway/conf/conf.h"
#include "gateway/decisions/known_prices.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

struct fields {
	const char *config;
	bool json;
};

#define FROM_COLUMN 81
#define CELLS_MAX   ((size_t)64 << 10)
#define OFF(m)      offsetof(struct fields, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "config", OPT_STRING, OFF(config), 0, 0, "FILE", "Of this configuration's targets, instead of what is built in." },
	{ "json",   OPT_FLAG,   OFF(json),   0, 0, NULL,   "Print JSON." },
};
/* clang-format on */

static const struct opt_command prices_command = { "kf-gateway prices", "",
	"Says what models cost, in dollars per million tokens: what is built "
	"in\n"
	"and was published on the day it names, or what a configuration's\n"
	"targets are counted at.",
	rows, COUNT(rows), 0, 0,
	"kf-gateway prices\twhat is built in\n"
	"kf-gateway prices --config gateway.yaml\tof your targets\n" };

/* "half" of the price from an hour to another one. */
static json_t *
schedule_of(const struct cost_price *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->nwindows; i++) {
		const struct cost_window *w = &p->windows[i];

		json_array_append_new(list,
		    json_pack("{s:o, s:o, s:f}", "from",
		        json_sprintf("%02u:%02u", w->from_min / 60,
		            w->from_min % 60),
		        "to",
		        json_sprintf("%02u:%02u", w->to_min / 60,
		            w->to_min % 60),
		        "factor", w->factor));
	}
	return list;
}

static void
add(json_t *all, const char *what, const struct cost_price *p, const char *from)
{
	json_t *row = json_pack("{ss ss}", "target", what, "from", from);

	if (p) {
		json_object_set_new(row, "input", json_real(p->input));
		json_object_set_new(row, "cached_input",
		    json_real(p->cached < 0 ? p->input : p->cached));
		json_object_set_new(row, "output", json_real(p->output));
		if (p->nwindows > 0)
			json_object_set_new(row, "schedule", schedule_of(p));
	}
	json_array_append_new(all, row);
}

static void
add_known(json_t *all)
{
	char name[128];
	size_t n;
	const struct known_price *p = known_prices(&n);

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "%s/%s", p[i].host,
		    p[i].price.target);
		add(all, name, &p[i].price, known_prices_date());
		json_object_set_new(json_array_get(all,
		                        json_array_size(all) - 1),
		    "source", json_string(known_prices_source(p[i].host)));
	}
}

static bool
is_listed(json_t *all, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(all, i, row)
		if (strcmp(json_string_value(json_object_get(row, "target")),
		        name) == 0)
			return true;
	return false;
}

static void
add_target(json_t *all, const struct conf *c, const struct conf_target *t)
{
	bool is_own =
	    t->price >= c->prices && t->price < c->prices + c->nprices;

	if (!is_listed(all, t->name))
		add(all, t->name, t->price,
		    !t->price    ? "nobody: counted as 0"
		        : is_own ? "the configuration"
		                 : known_prices_date());
}

static bool
add_targets(json_t *all, const char *path, struct why *why)
{
	struct findings f;
	struct conf *c;

	findings_init(&f, path);
	f.is_offline = true;
	c = conf_load(path, &f);
	if (!c)
		why_set(why, ERR_SYNTAX, "%s", f.first_error);
	for (size_t i = 0; c && i < c->nrules; i++) {
		for (size_t k = 0; k < c->rules[i].ntargets; k++)
			add_target(all, c, &c->rules[i].targets[k]);
		if (c->rules[i].escalation)
			add_target(all, c, c->rules[i].escalation);
	}
	findings_done(&f);
	if (!c)
		return false;
	conf_unref(c);
	return true;
}

/* Where they can be looked up, each page once. */
static void
print_sources(json_t *all)
{
	const char *last = "", *source;
	json_t *row;
	size_t i;

	json_array_foreach(all, i, row) {
		source = json_string_value(json_object_get(row, "source"));
		if (!source || strcmp(source, last) == 0)
			continue;
		printf("%s%s\n", *last ? "" : "\n", source);
		last = source;
	}
}

/* Who says so, and when it is another price. */
static void
add_from(struct buf *b, json_t *row)
{
	json_t *w;
	size_t i;

	buf_adds(b, json_string_value(json_object_get(row, "from")));
	json_array_foreach(json_object_get(row, "schedule"), i, w)
		buf_addf(b, ", x%g %s-%s",
		    json_number_value(json_object_get(w, "factor")),
		    json_string_value(json_object_get(w, "from")),
		    json_string_value(json_object_get(w, "to")));
}

static void
print_row(json_t *row)
{
	static const struct {
		const char *name;
		int width;
	} figures[] = { { "input", 10 }, { "cached_input", 12 },
		{ "output", 10 } };
	struct buf head, from;

	buf_init(&head, CELLS_MAX);
	buf_init(&from, CELLS_MAX);
	buf_addf(&head, "%-44s",
	    json_string_value(json_object_get(row, "target")));
	for (size_t k = 0; k < COUNT(figures); k++) {
		json_t *v = json_object_get(row, figures[k].name);

		if (v)
			buf_addf(&head, " %*.6g", figures[k].width,
			    json_real_value(v));
		else
			buf_addf(&head, " %*s", figures[k].width, "-");
	}
	add_from(&from, row);
	columns_put_row(head.data, FROM_COLUMN, from.data, stdout);
	buf_done(&head);
	buf_done(&from);
}

static void
print(json_t *all)
{
	json_t *row;
	size_t i;
	char head[128];

	snprintf(head, sizeof head, "%-44s %10s %12s %10s",
	    "USD per million tokens", "input", "cached input", "output");
	columns_put_row(head, FROM_COLUMN, "from", stdout);
	json_array_foreach(all, i, row)
		print_row(row);
	print_sources(all);
}

static int
run_prices(int argc, char **argv)
{
	struct fields in = { .json = false };
	json_t *all = json_array();
	struct why why = { "" };
	enum err e = ERR_OK;
	size_t nargs;
	int code;

	if (!command_parse(&cmd_prices, argc, argv, &in, NULL, &nargs, &code)) {
		json_decref(all);
		return code;
	}
	if (!in.config)
		add_known(all);
	else if (!add_targets(all, in.config, &why))
		e = ERR_SYNTAX;
	if (e == ERR_OK && in.json) {
		json_dumpf(all, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
		puts("");
	} else if (e == ERR_OK) {
		print(all);
	}
	json_decref(all);
	return command_end(&cmd_prices, e, &why);
}

const struct command cmd_prices = { "prices", &prices_command, run_prices };
