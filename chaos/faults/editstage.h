/*
 * The stage of a fault that edits what an answer says: the body of a whole
 * answer at once, or the events of a stream one by one.  The fault brings an
 * editor, text in, text out; gathering, events, lengths, reporting and the
 * bytes around the text are done here.
 *
 * An editor's memory begins with struct edit, is zeroed, and lives as long as
 * the answer.
 */
#ifndef CHAOS_EDITSTAGE_H
#define CHAOS_EDITSTAGE_H

#include "base/buf.h"
#include "base/slice.h"
#include "chaos/http/stage.h"
#include "chaos/rules/engine.h"
#include "chaos/text/dialect.h"
#include "chaos/text/json_splice.h"

enum edit_result {
	EDIT_KEEP,   /* as it came */
	EDIT_CHANGE, /* out is the text; the old one: as EDIT_KEEP */
	EDIT_DROP,   /* events: nothing is passed */
};

struct edit {
	struct shot *shot; /* borrowed, as the exchange */
	struct exchange *exchange;
	const struct dialect *dialect; /* chat, when the path tells none */
	json_t *detail; /* for the log; set before the first change, taken */
};

struct editor {
	size_t edit_bytes;
	/* Why it is bypassed when nothing was changed, true of what is not
	 * there and of what reads so already; NULL: as the answer ended. */
	const char *missing;
	/* A whole body; out is empty. */
	enum edit_result (
	    *on_whole)(struct edit *e, struct slice json, struct buf *out);
	/* The data of an event, never [DONE]. */
	enum edit_result (
	    *on_event)(struct edit *e, struct slice json, struct buf *out);
};

/* NULL, and bypassed: the answer is an error or is encoded. */
struct stage *editstage_new(struct shot *s, struct exchange *x,
    const struct editor *editor);

/* The editor's memory, for what it must know from the start. */
struct edit *editstage_edit(struct stage *st);

/*
 * Helpers for editors: put raw JSON in the place of the value that a pointer
 * names (false: there is none), and what the edits make of the text.
 */
bool edit_set(struct splices *s, struct slice json, const char *pointer,
    struct slice value);
/* The same with a string, which is escaped. */
bool edit_set_string(struct splices *s, struct slice json, const char *pointer,
    struct slice text);
/* The same where a span stands; spans of one text. */
void edit_span(struct splices *s, struct jspan at, struct slice value);
void edit_span_string(struct splices *s, struct jspan at, struct slice text);
/* The string that stands in a span, decoded, if it is one and not empty; one
 * with EDIT_ODD_TEXT is not edited. */
#define EDIT_ODD_TEXT "NUL or half a surrogate pair"
bool edit_span_text(struct slice json, struct jspan at, struct jtext *ret);
/* All that is in that role becomes value: raw JSON. */
void edit_role(const struct edit *e, struct splices *s, struct slice json,
    enum dialect_role role, struct slice value);
/* The finish reason, if there is one, becomes that of the dialect. */
void edit_finish(const struct edit *e, struct splices *s, struct slice json,
    enum dialect_word word);

/* An event's bytes with text as its data; what else it says stays. */
void edit_retell(struct exchange *x, const struct item *it, struct slice text,
    struct buf *out);

/* EDIT_CHANGE, or EDIT_KEEP when s is empty; s is done with. */
enum edit_result edit_apply(struct splices *s, struct slice json,
    struct buf *out);

/* Is the value at pointer a string that is not empty?  Its text, decoded. */
bool edit_text(struct slice json, const char *pointer, struct jtext *ret);

/* The value at pointer as it stands; empty when there is none. */
struct slice edit_raw(struct slice json, const char *pointer);

#endif
