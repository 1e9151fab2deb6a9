/*
 * What the files of a translation share.
 */
#ifndef GATEWAY_TRANSLATION_PRIV_H
#define GATEWAY_TRANSLATION_PRIV_H

#include "gateway/translation/translation.h"
#include <jansson.h>

/* Numbers keep every bit: 17 digits, jansson's default. */
#define TRANSLATION_DUMP (JSON_COMPACT | JSON_ENCODE_ANY)

/* Names and bytes of NUL are kept as they are; a name twice is refused. */
json_t *translation_parse(struct slice text);
enum err translation_put(struct buf *out, json_t *tree);

/* "" where it is missing or no string. */
const char *translation_text(json_t *o, const char *name);
/* Appends a block or a part of text. */
void translation_add_text(json_t *list, json_t *text);
/* The tree as compact JSON, as a string. */
json_t *translation_quoted(json_t *tree);
/* The tree that a string holds as JSON, an object; NULL: it holds none. */
json_t *translation_unquoted(json_t *string);

/* A word of one API in the other's; what is in no row stays as it is. */
const char *translation_finish(enum schema_kind to, const char *word);
/* What an answer has used, in the words of `to`. */
json_t *translation_usage(enum schema_kind to, json_t *usage);

/* ---- a question in the making */

struct translation_ask {
	json_t *from; /* borrowed */
	json_t *to;   /* being made */
	json_t *list; /* of the messages, in `to` */
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

bool translation_copy(struct translation_ask *a, const char *name, json_t *v);
/* The same, with what is to be made of the whole afterwards. */
bool translation_to_messages(struct translation_ask *a);
bool translation_to_chat(struct translation_ask *a);

#endif
