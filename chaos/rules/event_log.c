/*
 * A thin layer on the journal: the fields of an event, the wall time, and
 * what happens when the disk is full.
 */
#include "chaos/rules/event_log.h"

#include <stdlib.h>

#include "base/chained_journal.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#define NOWHERE "/dev/null"

struct events {
	struct journal *journal; /* owned */
	bool is_broken;
	void (*on_line)(json_t *line, void *arg);
	void *arg;
};

static const char *const results[EVENT_NRESULTS] = {
	[EVENT_FIRED] = "fired",
	[EVENT_BYPASSED] = "bypassed",
};

enum err
events_open(const char *path, struct events **ret, struct why *why)
{
	struct journal *j = NULL;
	size_t cut = 0;
	enum err e =
	    journal_open(path ? path : NOWHERE, JOURNAL_ALONE, &j, &cut, why);

	if (e != ERR_OK)
		return e;
	if (cut)
		log_warn("log", "%s: cut %zu bytes of a torn last line", path,
		    cut);
	*ret = xcalloc(1, sizeof **ret);
	(*ret)->journal = j;
	return ERR_OK;
}

void
events_end(struct events *ev)
{
	struct why why = { "" };

	if (!ev->is_broken && journal_end(ev->journal, &why) != ERR_OK)
		log_error("log", "%s", why.text);
}

void
events_close(struct events *ev)
{
	if (!ev)
		return;
	journal_close(ev->journal);
	free(ev);
}

bool
events_add(struct events *ev, const struct event *e, json_t *detail)
{
	json_t *line = detail ? detail : json_object();
	char wall[CLOCK_ISO_BYTES];
	struct why why = { "" };
	enum err err = ERR_STATE;

	clock_iso(clock_wall_ms(), wall);
	json_object_set_new(line, "rule", json_string(e->rule));
	json_object_set_new(line, "fault", json_string(e->fault));
	json_object_set_new(line, "proxy", json_string(e->proxy));
	json_object_set_new(line, "key", json_string(e->key));
	json_object_set_new(line, "attempt",
	    json_integer((json_int_t)e->attempt));
	json_object_set_new(line, "result", json_string(results[e->result]));
	if (e->follows_clock)
		json_object_set_new(line, "clock", json_true());
	json_object_set_new(line, "wall", json_string(wall));
	if (!ev->is_broken)
		err = journal_append(ev->journal, line, &why);
	/* Behind the journal: who watches never sees an event that the log does
	 * not hold. */
	if (err == ERR_OK && ev->on_line)
		ev->on_line(line, ev->arg);
	json_decref(line);
	if (err != ERR_OK && !ev->is_broken) {
		ev->is_broken = true;
		log_error("log", "%s; no more faults, proxying goes on",
		    why.text);
	}
	return err == ERR_OK;
}

void
events_watch(struct events *ev, void (*on_line)(json_t *line, void *arg),
    void *arg)
{
	ev->on_line = on_line;
	ev->arg = arg;
}

bool
events_are_broken(const struct events *ev)
{
	return ev->is_broken;
}

uint64_t
events_count(const struct events *ev)
{
	return journal_count(ev->journal);
}

void
events_run_hash(const struct events *ev, char out[DIGEST_HEX])
{
	journal_set_hash(ev->journal, out);
}
