/*
 * A fault that is aimed at an exchange, from its first word to its line in the
 * log, within the limits.
 */
#include "chaos/rules/engine_priv.h"

#include <stdio.h>
#include <string.h>

#include "chaos/rules/request_key.h"
#include "chaos/rules/rule.h"

const void *
shot_conf(const struct shot *s)
{
	return s->rule->faults[s->index].conf;
}

void *
shot_state(const struct shot *s)
{
	return s->rule->faults[s->index].state;
}

const struct fault_type *
shot_type(const struct shot *s)
{
	return s->rule->faults[s->index].type;
}

uint64_t
shot_between(const struct shot *s, const char *draw, uint64_t lo, uint64_t hi)
{
	char name[64];

	snprintf(name, sizeof name, "%zu.%s", s->index, draw);
	return fire_draw_between(&s->decide, name, lo, hi);
}

static struct event
event_of(const struct shot *s, enum event_result result)
{
	const struct fault_type *type = shot_type(s);

	return (struct event){ s->rule->id, type->name, s->facts->proxy,
		identity_key(s->facts), s->facts->attempt, result,
		type->follows_clock && type->follows_clock(shot_conf(s)) };
}

static bool
log_shot(struct shot *s)
{
	struct engine *e = s->engine;
	struct event ev = event_of(s, s->result);
	json_t *detail = s->detail;

	s->is_logged = true;
	s->detail = NULL;
	if (e->ends_with && s->facts->ordinal != e->ends_with) {
		json_decref(detail);
		return false;
	}
	if (!events_add(e->events, &ev, detail))
		return false;
	s->counts[s->result == EVENT_FIRED ? GOAL_FIRED : GOAL_BYPASSED]++;
	if (s->result != EVENT_FIRED)
		return true;
	s->facts->fires++;
	return true;
}

static bool
speak(struct shot *s, enum event_result result, json_t *detail)
{
	s->is_reported = true;
	s->result = result;
	s->detail = detail;
	return s->is_deferred ? !events_are_broken(s->engine->events)
	                      : log_shot(s);
}

void
shot_bypass(struct shot *s, const char *reason)
{
	if (!s->is_reported)
		speak(s, EVENT_BYPASSED, json_pack("{ss}", "reason", reason));
}

void
shot_expect(struct shot *s, const char *missing)
{
	s->missing = missing;
}

bool
shot_fire(struct shot *s, json_t *detail)
{
	struct engine *e = s->engine;
	struct event ev = event_of(s, EVENT_FIRED);
	const char *limit = NULL;

	if (e->limits.active_max &&
	    e->limits.active >= (uint64_t)e->limits.active_max)
		limit = "limit max_active";
	else if (e->limits.fires_max &&
	    e->limits.fires >= (uint64_t)e->limits.fires_max)
		limit = "limit max_fires";
	else if (e->allows && !e->allows(&ev, e->allows_arg))
		limit = "left out";
	if (limit || s->is_reported) {
		json_decref(detail);
		if (limit)
			shot_bypass(s, limit);
		return false;
	}
	if (!speak(s, EVENT_FIRED, detail))
		return false;
	s->is_active = true;
	e->limits.active++;
	e->limits.fires++;
	return true;
}

bool
shot_is_due(const struct shot *s)
{
	return s->is_reported && !s->is_logged;
}

bool
shot_left(struct shot *s)
{
	return !shot_is_due(s) || log_shot(s);
}

/* What never left has not happened. */
void
shot_done(struct shot *s, const char *reason)
{
	if (shot_is_due(s)) {
		/* It was counted when it was aimed; what did not happen must
		 * not use up max_fires. */
		s->engine->limits.fires -= s->is_active;
		json_decref(s->detail);
		s->is_reported = false;
	}
	s->is_deferred = false;
	shot_bypass(s, s->missing ? s->missing : reason);
	if (s->is_active)
		s->engine->limits.active--;
	s->is_active = false;
}

void
shot_release(struct shot *s)
{
	live_rule_drop(s->live);
	s->live = NULL;
}
