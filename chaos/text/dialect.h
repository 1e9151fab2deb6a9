/*
 * How a model's API speaks: where in an answer, whole or one event of a
 * stream, the text stands, a tool call's name, id and arguments, the finish
 * reason, usage and model; how an error looks, and how a stream ends.
 *
 * A dialect is a file, dialect_NAME.c, and a row in dialect.c; faults, rules
 * and presets ask by role and know no API (docs/adding-a-dialect.md).
 */
#ifndef CHAOS_DIALECT_H
#define CHAOS_DIALECT_H

#include "base/slice.h"
#include "chaos/text/jspan.h"

enum dialect_role {
	DIALECT_TEXT,      /* what the model says: a string, or null */
	DIALECT_REFUSAL,   /* that it will not, where that stands apart */
	DIALECT_ARGS,      /* of a tool call: JSON text in a string, or JSON */
	DIALECT_CALLS,     /* said beside a text: tool calls, a sound */
	DIALECT_TOOL_ID,   /* of a tool call: a string */
	DIALECT_TOOL_NAME, /* the same */
	DIALECT_FINISH,    /* why it ended: a string, when it has */
	DIALECT_DETAILS,   /* why it is incomplete: JSON, or null */
	DIALECT_MODEL,
	DIALECT_USAGE, /* an object, or a number when there is none */
	DIALECT_TOKENS_IN,
	DIALECT_TOKENS_OUT,
	DIALECT_TOKENS_TOTAL,
	DIALECT_NROLES
};

enum dialect_word {
	DIALECT_STOP,
	DIALECT_LENGTH,
	DIALECT_FILTER,
	DIALECT_TOOL,
	DIALECT_NWORDS
};

struct dialect_place {
	enum dialect_role role;
	const char *pointer; /* '#' is any index, the same in `when` */
	const char *when;    /* what stands there is `is`, or nothing does; or
	                        NULL */
	const char *is;      /* raw JSON */
	bool is_again;       /* says once more, whole, what came in pieces */
};

struct speech;

struct dialect {
	const char *name;
	const struct speech *speech; /* NULL: speech_chat.h writes it */
	const char *const *paths; /* how its requests' paths end; NULL last */
	const struct dialect_place *places;
	size_t nplaces;
	/* The finish reasons; NULL: it has none for that. */
	const char *words[DIALECT_NWORDS];
	/* Raw JSON for DIALECT_DETAILS by the reason; NULL: none of it. */
	const char *details[DIALECT_NWORDS];
	/* In a whole answer: all that the model said, and how a text alone is
	 * put there, around the quoted text.  NULL: text and calls apart. */
	const char *content_at, *content_open, *content_close;
	const char *nothing_at;  /* an empty list there is no answer; or NULL */
	const char *done;        /* data of a stream's last event; or NULL */
	const char *error_event; /* a whole block */
	const char *provider;    /* of http_error, for its errors */
	bool is_lines;           /* streams are lines of JSON, not events */
	bool is_dense;           /* an event carries more than one thing */
	/* Not dense: what an event may carry beside a text even so; pointers,
	 * NULL last.  NULL: nothing. */
	const char *const *beside;
	bool streams_unasked; /* unless "stream" is false */
};

extern const struct dialect dialect_chat, dialect_gemini, dialect_messages,
    dialect_ollama, dialect_responses;

/* By the path of a request, without its query; NULL: none of them. */
const struct dialect *dialect_find(struct slice path);
const struct dialect *dialect_at(size_t i); /* NULL behind the last */

#define DIALECT_HITS     16
#define DIALECT_POINTERS 24 /* of a role, with each place's `when` */

struct dialect_hit {
	const struct dialect_place *place;
	struct jspan span;
};

/* What stands in json in that role; returns how many, in the table's order.
 * Nothing does when json is not whole. */
size_t dialect_hits(const struct dialect *d, struct slice json,
    enum dialect_role role, struct dialect_hit ret[DIALECT_HITS]);
/* The first of them that is not said again; false: there is none. */
bool dialect_hit(const struct dialect *d, struct slice json,
    enum dialect_role role, struct jspan *ret);
/* Would more be lost with the event than what it says in text or calls? */
bool dialect_says_more(const struct dialect *d, struct slice json);
/* Does json say why the answer ended? */
bool dialect_has_finish(const struct dialect *d, struct slice json);

#endif
