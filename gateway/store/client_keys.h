/*
 * Keys that people hand out: made, listed and revoked while gateways run.
 * The file holds a hash of each, so that it opens no door to who reads it;
 * the key itself is shown once, to who makes it.
 */
#ifndef GATEWAY_CLIENT_KEYS_H
#define GATEWAY_CLIENT_KEYS_H

#include "gateway/store/store.h"

#define KEYS_NAME_MAX   64
#define KEYS_MAX        10000
#define KEYS_TEXT_BYTES 47 /* "kf-", 43 letters, NUL */
#define KEYS_EVER       -1 /* a budget that is never filled again */

/* As people write it, in a shell or in JSON; NULL: not said. */
struct keys_wish {
	const char *name;    /* who has it: printable, KEYS_NAME_MAX at most */
	const char *subject; /* for rules; key:NAME */
	const char *models;  /* "chat,deep*": * ends a pattern; all */
	const char *budget;  /* dollars, "2.50"; none */
	const char *per;     /* "day", "week", "month" (the default), "ever" */
	const char *expires; /* "90d", "12h", "30m", "2027-01-31"; never */
	int64_t rate;        /* requests a minute; 0: as many as it likes */
};

/* ERR_SYNTAX, ERR_RANGE: the wish; ERR_EXISTS: the name is taken; ERR_TOOBIG:
 * there are KEYS_MAX; ERR_ENV. */
enum err keys_create(struct store *s, const struct keys_wish *wish,
    uint64_t now_ms, char key[KEYS_TEXT_BYTES], struct why *why);

/* As if it had never been made: for one that nobody was told.  ERR_ENV. */
enum err keys_forget(struct store *s, const char *name, struct why *why);

/* For good.  ERR_NOTFOUND: no key has that name; once more is no error. */
enum err keys_revoke(struct store *s, const char *name, uint64_t now_ms,
    struct why *why);

/* The key of that name (NULL: every one) as objects of JSON, with its state,
 * and what it has spent of its budget by now. */
enum err keys_list(struct store *s, const char *name, uint64_t now_ms,
    struct buf *out);

/* In which counter a key's budget and its rate are counted, and since when. */
uint64_t keys_span(int64_t per_s, uint64_t now_s, uint64_t *until);

#endif
