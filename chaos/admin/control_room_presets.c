/*
 * A preset that is on is its name and the rules it put into the engine. They
 * are live rules, held here, so that an exchange that is under way keeps the
 * one that it was aimed at when the preset goes.
 */
#include "chaos/admin/control_room_presets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/rules/preset.h"

#define ON_MAX         16
#define NAME_MAX_BYTES 64

struct on {
	char name[NAME_MAX_BYTES];
	struct live_rule *rules[SCENARIO_RULES_MAX]; /* held */
	size_t n;
};

struct roompresets {
	const struct scenario *s; /* borrowed, as is the engine */
	struct engine *engine;
	struct on *on[ON_MAX]; /* owned */
	size_t n;
};

struct roompresets *
roompresets_new(const struct scenario *s, struct engine *engine)
{
	struct roompresets *p = xcalloc(1, sizeof *p);

	p->s = s;
	p->engine = engine;
	return p;
}

static void
drop(struct on *on)
{
	for (size_t i = 0; i < on->n; i++)
		live_rule_drop(on->rules[i]);
	free(on);
}

static void
switch_off(struct roompresets *p, size_t i)
{
	struct on *on = p->on[i];

	for (size_t k = 0; k < on->n; k++)
		engine_remove_last(p->engine, on->rules[k]);
	drop(on);
	p->on[i] = p->on[--p->n];
}

void
roompresets_free(struct roompresets *p)
{
	if (!p)
		return;
	while (p->n > 0)
		switch_off(p, p->n - 1);
	free(p);
}

/* p->n: it is off. */
static size_t
find(const struct roompresets *p, const char *name)
{
	size_t i = 0;

	while (i < p->n && strcmp(p->on[i]->name, name) != 0)
		i++;
	return i;
}

/* Has the scenario rules of that preset, "NAME.RULE"? */
static bool
is_in_scenario(const struct scenario *s, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < s->nrules; i++)
		if (strncmp(s->rules[i].id, name, n) == 0 &&
		    s->rules[i].id[n] == '.')
			return true;
	return false;
}

json_t *
roompresets_json(const struct roompresets *p)
{
	json_t *names = json_array(), *all = json_array(), *name;
	size_t i;

	preset_names(names);
	json_array_foreach(names, i, name) {
		const char *text = json_string_value(name);
		size_t at = find(p, text);
		uint64_t matched = 0, fired = 0;

		for (size_t k = 0; at < p->n && k < p->on[at]->n; k++) {
			matched += p->on[at]->rules[k]->counts[GOAL_MATCHED];
			fired += p->on[at]->rules[k]->counts[GOAL_FIRED];
		}
		json_array_append_new(all,
		    json_pack("{ss sb sb sI sI}", "name", text, "enabled",
		        at < p->n, "in_scenario", is_in_scenario(p->s, text),
		        "matched", (json_int_t)matched, "fired",
		        (json_int_t)fired));
	}
	json_decref(names);
	return all;
}

static enum err
read_rules(const struct roompresets *p, json_t *rules, struct on *on,
    struct why *why)
{
	size_t i;
	json_t *v;
	enum err e = ERR_OK;

	json_array_foreach(rules, i, v) {
		if (e != ERR_OK || on->n == SCENARIO_RULES_MAX)
			break;
		e = live_rule_read(v, p->s, &on->rules[on->n], why);
		if (e == ERR_OK)
			on->n++;
	}
	return e;
}

static enum err
switch_on(struct roompresets *p, const char *name, struct why *why)
{
	struct on *on;
	json_t *rules = NULL;
	enum err e;

	if (p->n == ON_MAX || is_in_scenario(p->s, name))
		return why_set(why, ERR_STATE,
		    p->n == ON_MAX ? "too many presets are on"
		                   : "the scenario has it already");
	e = preset_rules(name, &rules, why);
	if (e != ERR_OK)
		return e;
	on = xcalloc(1, sizeof *on);
	snprintf(on->name, sizeof on->name, "%s", name);
	e = read_rules(p, rules, on, why);
	json_decref(rules);
	if (e != ERR_OK) {
		drop(on);
		return e;
	}
	/* All were read before the first is added: half a preset is none. */
	for (size_t i = 0; i < on->n; i++)
		engine_add_last(p->engine, on->rules[i]);
	p->on[p->n++] = on;
	return ERR_OK;
}

enum err
roompresets_switch(struct roompresets *p, struct slice name, bool is_on,
    struct why *why)
{
	char text[NAME_MAX_BYTES];
	size_t at;

	if (name.n >= sizeof text)
		return why_set(why, ERR_NOTFOUND, "no such preset");
	snprintf(text, sizeof text, SLICE_FMT, SLICE_ARG(name));
	at = find(p, text);
	if (is_on && at == p->n)
		return switch_on(p, text, why);
	if (!is_on && at < p->n)
		switch_off(p, at);
	return ERR_OK;
}
