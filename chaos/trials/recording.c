/*
 * A scenario that was read is turned from live to record, or to replay; its
 * hash stays, so every decision does.
 */
#include "chaos/trials/recording.h"

#include <stdlib.h>

#include "base/files.h"
#include "base/mem.h"

char *
recording_folder(const char *log)
{
	return xasprintf("%s.record", log);
}

static char *
cassette_of(const char *folder, const struct proxy_conf *p)
{
	return xasprintf("%s/%s.jsonl", folder, p->name);
}

enum err
recording_into(struct scenario *s, const char *folder, struct why *why)
{
	enum err e = files_mkdirs(folder, why);

	for (size_t i = 0; i < s->nproxies && e == ERR_OK; i++) {
		struct proxy_conf *p = &s->proxies[i];

		if (p->mode != PROXY_LIVE)
			continue;
		p->mode = PROXY_RECORD;
		p->cassette = cassette_of(folder, p);
	}
	return e;
}

size_t
recording_play(struct scenario *s, const char *folder, bool asks,
    size_t *missing)
{
	size_t live = 0;

	for (size_t i = 0; i < s->nproxies; i++) {
		struct proxy_conf *p = &s->proxies[i];

		if (p->mode != PROXY_LIVE && p->mode != PROXY_RECORD)
			continue;
		if (p->mode == PROXY_LIVE)
			p->cassette = cassette_of(folder, p);
		if (files_exists(p->cassette)) {
			p->mode = PROXY_REPLAY;
			/* The same faults at the same requests, and nothing
			 * that has to be waited for twice. */
			p->is_fast = true;
			p->missing = missing;
			p->asks = asks;
		} else {
			live++;
		}
	}
	return live;
}
