/*
 * Toxics of a proxy: those that tap bytes are told to every link, those that
 * act on HTTP are rules of the engine, which the proxy's face asks.
 */
#include "chaos/tcp/tcpproxy_priv.h"

#include <string.h>

#include "chaos/rules/engine.h"

bool
tcpproxy_wants_face(const struct tcpproxy *p)
{
	const struct toxic *t;

	if (p->is_listed)
		return false;
	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_FOREACH(t, &p->toxics[i], entry)
			if (!toxic_is_tap(t))
				return true;
	/* An upstream with a scheme may want TLS, which a proxy of bytes cannot
	 * speak. */
	return strstr(p->upstream, "://") != NULL;
}

bool
tcpproxy_wants_refusal(const struct tcpproxy *p)
{
	const struct toxic *t;

	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_FOREACH(t, &p->toxics[i], entry)
			if (t->fault.type == &fault_refuse &&
			    t->toxicity >= 1 && !t->is_asleep)
				return true;
	return false;
}

struct toxic *
tcpproxy_find_toxic(struct tcpproxy *p, const char *name)
{
	struct toxic *t;

	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_FOREACH(t, &p->toxics[i], entry)
			if (strcmp(t->name, name) == 0)
				return t;
	return NULL;
}

/* On all links: one of link_add, link_change, link_remove. */
static void
tell_links(struct tcpproxy *p, const struct toxic *t,
    void (*tell)(struct link *l, const struct toxic *t))
{
	struct member *m;

	TAILQ_FOREACH(m, &p->members, entry)
		if (m->link && toxic_is_tap(t))
			tell(m->link, t);
}

static void
lift_rule(struct tcpproxy *p, struct toxic *t)
{
	if (!t->rule)
		return;
	engine_remove(p->set->conf.http->engine, t->rule);
	live_rule_drop(t->rule);
	t->rule = NULL;
}

/* The rule that stands for t, anew; nothing when its taps do the work. */
static enum err
aim_rule(struct tcpproxy *p, struct toxic *t, struct why *why)
{
	struct engine *engine = p->set->conf.http->engine;
	struct live_rule *fresh = NULL;
	enum err e = live_rule_new(&(struct live_rule_conf){ .id = t->name,
	                               .proxy = p->name,
	                               .p = t->toxicity,
	                               .type = t->fault.type,
	                               .attributes = t->attributes },
	    &fresh, why);

	if (e != ERR_OK)
		return e;
	/* Only now: a rule that cannot be made leaves the old one in place. */
	lift_rule(p, t);
	engine_add(engine, fresh);
	t->rule = fresh;
	return ERR_OK;
}

enum err
tcpproxy_add_toxic(struct tcpproxy *p, struct toxic *t, struct why *why)
{
	enum err e = ERR_OK;

	if (tcpproxy_find_toxic(p, t->name))
		return why_set(why, ERR_EXISTS, "toxic already exists");
	if (!toxic_is_tap(t) && !p->set->conf.http)
		return why_set(why, ERR_SYNTAX, "invalid toxic type");
	t->is_asleep = p->set->is_asleep;
	TAILQ_INSERT_TAIL(&p->toxics[t->stream], t, entry);
	e = tcpproxy_update_face(p, why);
	if (e == ERR_OK && (p->is_listed || !toxic_is_tap(t)))
		e = aim_rule(p, t, why);
	if (e != ERR_OK) {
		TAILQ_REMOVE(&p->toxics[t->stream], t, entry);
		return e;
	}
	tell_links(p, t, link_add);
	tcpproxy_update_listener(p);
	return ERR_OK;
}

void
tcpproxy_toxic_changed(struct tcpproxy *p, struct toxic *t)
{
	if (t->rule)
		aim_rule(p, t, NULL);
	tell_links(p, t, link_change);
	tcpproxy_update_listener(p);
}

void
tcpproxy_remove_toxic(struct tcpproxy *p, struct toxic *t)
{
	/* Before it is freed: open links' taps point at it. */
	tell_links(p, t, link_remove);
	lift_rule(p, t);
	TAILQ_REMOVE(&p->toxics[t->stream], t, entry);
	toxic_free(t);
	tcpproxy_update_listener(p);
}

void
tcpproxy_remove_toxics(struct tcpproxy *p)
{
	struct toxic *t, *next;

	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		for (t = TAILQ_FIRST(&p->toxics[i]); t; t = next) {
			next = TAILQ_NEXT(t, entry);
			tcpproxy_remove_toxic(p, t);
		}
}

/* ---- limits */

static void
set_rules_asleep(struct member *m, bool is_asleep)
{
	struct toxic *t;

	TAILQ_FOREACH(t, connrules_toxics(m->rules), entry) {
		t->is_asleep = is_asleep;
		link_change(m->link, t);
	}
}

static void
set_asleep(struct tcpproxy *p, bool is_asleep)
{
	struct member *m;
	struct toxic *t;

	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_FOREACH(t, &p->toxics[i], entry) {
			t->is_asleep = is_asleep;
			tell_links(p, t, link_change);
		}
	TAILQ_FOREACH(m, &p->members, entry)
		if (m->rules && m->link)
			set_rules_asleep(m, is_asleep);
	tcpproxy_update_listener(p);
}

void
tcpset_heed_limits(struct tcpset *s)
{
	const struct httpface_env *env = s->conf.http;
	struct engine_limits now;
	struct tcpproxy *p;

	if (!env)
		return;
	engine_limits(env->engine, loop_now_us(env->loop) / US_PER_MS, &now);
	if (now.is_expired != s->is_asleep) {
		s->is_asleep = now.is_expired;
		TAILQ_FOREACH(p, &s->proxies, entry)
			set_asleep(p, s->is_asleep);
	}
	if (now.left_ms)
		loop_arm(s->ttl_timer, now.left_ms * US_PER_MS);
	else
		evtimer_del(s->ttl_timer);
}
