/*
 * What the files of a translation share.
 */
#ifndef GATEWAY_TRANSLATION_PRIV_H
#define GATEWAY_TRANSLATION_PRIV_H

#include "gateway/translation/translation.h"
#include <jansson.h>

#define TRANSLATION_DUMP     (JSON_COMPACT | JSON_ENCODE_ANY)
#define TRANSLATION_WORD_MAX 80 /* of what has no word in the other API */

/* What is read. */
enum translation_of {
	TRANSLATION_OF_QUESTION, /* a name twice is refused */
	TRANSLATION_OF_ANSWER,   /* the later one counts */
	TRANSLATION_OF_STRING,   /* of a tree that was parsed here */
	TRANSLATION_OF_SHOWN     /* for its texts alone, not to be put */
};

/* NULL: it is no JSON.  Takes whatever RFC 8259 allows, at any depth that
 * jscan.h takes; strings may hold marks (see translation_json.c). */
json_t *translation_parse(struct slice text, enum translation_of of);
/* No number that is marked as one. */
bool translation_is_object(json_t *v);
bool translation_is_number(json_t *v);
double translation_number(json_t *v); /* 0: it is none */
/* The tree as it was read, marks undone. */
enum err translation_put(struct buf *out, json_t *tree);

/* "" where it is missing or no string. */
const char *translation_text(json_t *o, const char *name);
/* The text takes the place of *to, unless it is none or empty. */
void translation_keep(json_t **to, json_t *v);
/* Appends a block or a part of text. */
void translation_add_text(json_t *list, json_t *text);
/* Appends the block of messages that says a call of chat's; false: its
 * arguments are no JSON object. */
bool translation_add_call(json_t *blocks, json_t *call);
/* The tree as compact JSON, as a string. */
json_t *translation_quoted(json_t *tree);
/* The tree that a string holds as JSON, an object, or the object that stands
 * in its place; NULL: it holds none. */
json_t *translation_unquoted(json_t *string);

/* A word of one API in the other's; NULL: it has none, or nothing was said.  In
 * messages an answer that calls ends with that, whatever chat says of it. */
const char *translation_finish(enum schema_kind to, const char *word,
    bool has_calls);
/* Says nothing wherever it stands: null, an empty list; or is not there. */
bool translation_is_none(json_t *v);
bool translation_is_nothing(json_t *o, const char *name);
/* Later counts take the place of earlier ones; null is none. */
void translation_add_usage(json_t *sum, json_t *usage);
/* What the other API's usage says, if it can be read. */
void translation_read_counts(enum schema_kind to, json_t *usage,
    struct chunk *ret);
/* What an answer has used, in the words of `to`: each half as it was counted, or
 * the guess. */
json_t *translation_usage(enum schema_kind to, json_t *usage,
    struct translation_guess *guess);

/* ---- a question in the making */

struct translation_ask {
	json_t *from; /* borrowed */
	json_t *to;   /* being made */
	json_t *list; /* of the messages, in `to` */
	struct translation_target *target;
	struct why *why;
	bool is_refused;
};

/* Notes that `what` cannot be said, the first only.  Returns false. */
bool translation_refuse(struct translation_ask *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The members of o are among these, or null. */
bool translation_knows(struct translation_ask *a, json_t *o, const char *where,
    const char *const *names, size_t n);

/* A member of a question: how it is said. */
struct translation_member {
	const char *name;
	bool (*say)(struct translation_ask *a, const char *name, json_t *v);
};

/* Each member that is not null, in the order of the rows. */
bool translation_say(struct translation_ask *a,
    const struct translation_member *rows, size_t n);

/* The answer is begun with these words of the assistant's (a message of either
 * API), which the target has to go on from. */
bool translation_begin(struct translation_ask *a, json_t *message);

bool translation_copy(struct translation_ask *a, const char *name, json_t *v);
/* The same, with what is to be made of the whole afterwards. */
bool translation_to_messages(struct translation_ask *a);
bool translation_to_chat(struct translation_ask *a);

#endif
