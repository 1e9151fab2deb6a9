/*
 * A toxic of a TCP proxy: a kind (a row of the fault registry that has toxic
 * operations), a name, a direction, a share of the connections it touches.
 */
#ifndef CHAOS_TOXIC_H
#define CHAOS_TOXIC_H

#include "base/err.h"
#include "chaos/rules/fault.h"
#include "chaos/rules/fire_draw.h"
#include <jansson.h>
#include <stdbool.h>
#include <sys/queue.h>

enum toxic_stream { TOXIC_UPSTREAM, TOXIC_DOWNSTREAM, TOXIC_NSTREAMS };

struct toxic {
	TAILQ_ENTRY(toxic) entry;
	char *name;             /* owned; NULL: of a rule */
	struct fault fault;     /* owned */
	json_t *attributes;     /* owned: as given; texts of fault are in it */
	struct live_rule *rule; /* held while it acts on HTTP; NULL: on bytes */
	struct shot *shot;      /* borrowed: of a rule; NULL: the API's own */
	enum toxic_stream stream;
	bool is_asleep;  /* the time to live of all faults is over */
	double toxicity; /* 0 to 1: as it was said */
};

struct live_rule;

TAILQ_HEAD(toxic_list, toxic);

extern const char *const toxic_stream_names[TOXIC_NSTREAMS];

/*
 * A toxic from {name?, type, stream?, toxicity?, attributes?}, as an API
 * request gives it (keys in any case, unknown ones ignored).  ERR_SYNTAX:
 * *why is the whole message that the API answers with.
 */
enum err toxic_read(json_t *v, struct toxic **ret, struct why *why);
/* Merges attributes and toxicity of v; nothing changes on failure. */
enum err toxic_update(struct toxic *t, json_t *v, struct why *why);
/* Can it act on the bytes of a connection, or only on HTTP exchanges? */
bool toxic_is_tap(const struct toxic *t);
/* The fault of a rule as a toxic; it borrows all and needs no freeing. */
void toxic_of_shot(struct toxic *t, struct shot *s);
json_t *toxic_to_json(const struct toxic *t);
void toxic_free(struct toxic *t); /* NULL-safe */

#define TOXIC_NAME_MAX 256 /* bytes; a proxy's, too */

/*
 * May a text of the API be that long, and be printed?  A name stands in lists
 * that people read and in labels.  ERR_RANGE; key is what *why calls it.
 */
enum err toxic_check_text(const char *key, const char *text, size_t bytes_max,
    struct why *why);

/* v with its keys in lower case; a later key wins.  Owned. */
json_t *json_lower_keys(json_t *v);

#endif
