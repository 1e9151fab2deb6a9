/*
 * A provider that quotes the key it was sent must not tell it to the client:
 * stars, letter by letter, in its place, however the text writes it and in
 * whichever form the key stands there.  A part of it is hidden as well, its
 * beginning, its end or any other: what was cut is still most of a key.
 *
 * A run of so many letters has in it one of a few places of the key (anchors),
 * which are looked for by their letter; from there it is followed both ways.
 */
#include "gateway/conf/conf.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/units.h"
#include "gateway/conf/conf_read.h"
#include "gateway/text/letter_forms.h"
#include <stdlib.h>
#include <string.h>

#define HIDDEN_BYTES 8  /* a shorter key may be a word of the text */
#define PART_BYTES   12 /* and a shorter part, as "sk-proj-" is */
#define PART_MAX     16 /* of which nobody has to be told more */
#define LETTERS      256

/* ---- the forms of a key */

/* What of the key's base64 is the same whatever stands around it: so many bytes
 * of something else in front of it. */
static char *
in_base64(const char *key, size_t in_front)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                              "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t first = (in_front * 8 + 5) / 6;
	size_t end = (in_front + strlen(key)) * 8 / 6;
	struct buf b;

	buf_init(&b, 2 * strlen(key) + 4);
	for (size_t i = first; i < end; i++) {
		size_t bit = i * 6 - in_front * 8;
		unsigned two = (unsigned)(unsigned char)key[bit / 8] << 8 |
		    (unsigned char)key[bit / 8 + 1];

		buf_addc(&b, letters[two >> (10 - bit % 8) & 63]);
	}
	return buf_take(&b);
}

static char *
in_hex(const char *key)
{
	static const char digits[] = "0123456789abcdef";
	struct buf b;

	buf_init(&b, 2 * strlen(key) + 1);
	for (; *key; key++) {
		buf_addc(&b, digits[(unsigned char)*key >> 4]);
		buf_addc(&b, digits[*key & 15]);
	}
	return buf_take(&b);
}

/* ---- what is looked for */

/* A place of a form, by which a run of its letters is found. */
struct anchor {
	const struct form *form;
	size_t at;
	const struct anchor *next;
};

struct form {
	const char *text; /* owned by conf, as this is */
	size_t least;     /* letters that are too many to be told */
	const struct form *next;
	struct anchor anchors[];
};

/* Of most texts most bytes are passed over by a look at two of them: the
 * anchors' letters, and those behind them. */
struct conf_hidden {
	const struct form *forms;
	const struct anchor *by_letter[LETTERS];
	bool is_letter[LETTERS]; /* of any form */
	uint8_t pairs[LETTERS][LETTERS / 8];
};

static size_t
part_of(size_t n)
{
	if (n < PART_BYTES)
		return n;
	if (n < (size_t)2 * PART_BYTES)
		return PART_BYTES;
	return n < (size_t)2 * PART_MAX ? n / 2 : PART_MAX;
}

static inline size_t
place_of(char letter)
{
	return (unsigned char)letter_forms_fold(letter);
}

static void
add_pair(struct conf_hidden *h, const char *p)
{
	size_t b = place_of(p[1]);

	h->pairs[place_of(p[0])][b / 8] |= (uint8_t)(1u << b % 8);
}

static bool
has_pair(const struct conf_hidden *h, const char *p)
{
	size_t b = place_of(p[1]);

	return h->pairs[place_of(p[0])][b / 8] >> b % 8 & 1;
}

static void
add_form(struct conf *c, struct conf_hidden *h, const char *text)
{
	size_t n = strlen(text), least = part_of(n), step = least / 2, i = 0;
	struct form *f =
	    xcalloc(1, sizeof *f + (n / step + 1) * sizeof *f->anchors);

	(void)conf_own(c, (char *)f);
	f->text = text;
	f->least = least;
	f->next = h->forms;
	h->forms = f;
	for (size_t k = 0; k < n; k++)
		h->is_letter[place_of(text[k])] = true;
	for (size_t at = 0; at < n - least + step; at += step, i++) {
		const struct anchor **first = &h->by_letter[place_of(text[at])];

		add_pair(h, text + at);
		f->anchors[i] = (struct anchor){ f, at, *first };
		*first = &f->anchors[i];
	}
}

static void
add_secret(struct conf *c, struct conf_hidden *h, const char *secret)
{
	if (strlen(secret) < HIDDEN_BYTES)
		return;
	add_form(c, h, secret);
	for (size_t in_front = 0; in_front < 3; in_front++)
		add_form(c, h, conf_own(c, in_base64(secret, in_front)));
	add_form(c, h, conf_own(c, in_hex(secret)));
}

void
conf_hide_prepare(struct conf *c, struct conf_provider *p)
{
	struct conf_hidden *h = xcalloc(1, sizeof *h);

	p->hidden = h;
	(void)conf_own(c, (char *)h);
	for (size_t i = 0; i < p->nsecrets; i++)
		add_secret(c, h, p->secrets[i].key);
}

static bool
names_a_secret(const char *name)
{
	static const char *const words[] = { "auth", "cookie", "credential",
		"key", "passw", "secret", "token" };

	for (size_t i = 0; name && i < COUNT(words); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

void
conf_hide_headers(struct conf *c, const struct conf_provider *p,
    const struct ynode *said, const struct ynode *map)
{
	const struct ynode *as_said = said ? said->first : NULL;
	char *word, *rest;

	for (const struct ynode *n = map ? map->first : NULL; n; n = n->next) {
		bool is_secret = names_a_secret(n->key) ||
		    (as_said && names_a_secret(as_said->text));

		as_said = as_said ? as_said->next : NULL;
		if (!is_secret)
			continue;
		/* "Bearer KEY" */
		rest = conf_own(c, xstrdup(n->text));
		while ((word = strsep(&rest, " ")))
			add_secret(c, p->hidden, word);
	}
}

/* ---- looking for it */

/* A run of a form's letters in a text. */
struct run {
	size_t from, to; /* of the text */
	size_t letters;
};

/* From the end of the text backwards: the form's letters that end there. */
static size_t
back(struct slice text, const char *form, size_t at, size_t *letters)
{
	size_t step;

	for (; at > 0 && (step = letter_forms_before(text, form[at - 1]));
	     at--, text.n -= step)
		++*letters;
	return text.n;
}

static struct run
run_at(struct slice text, size_t at, const struct anchor *a)
{
	struct run r = { at, at, 0 };
	const char *letter = a->form->text + a->at;
	bool is_open;
	size_t step;

	for (; *letter; letter++, r.letters++, r.to += step)
		if (!(step = letter_forms_at((struct slice){ text.p + r.to,
		                                 text.n - r.to },
		          *letter, &is_open)))
			break;
	/* What is behind it is not as long as needed, whatever is before. */
	if (r.letters + a->at < a->form->least)
		return r;
	r.from = back((struct slice){ text.p, at }, a->form->text, a->at,
	    &r.letters);
	return r;
}

/* How many bytes from there on are hidden now, or 1. */
static size_t
hide_at(const struct conf_hidden *h, struct slice text, size_t at, char *out)
{
	struct letter_form forms[LETTER_FORMS_MAX];
	bool is_open;
	size_t nforms =
	    letter_forms_read((struct slice){ text.p + at, text.n - at }, forms,
	        &is_open);

	for (size_t i = 0; i < nforms; i++) {
		const struct anchor *a =
		    h->by_letter[place_of(forms[i].letter)];

		for (; a; a = a->next) {
			struct run r = run_at(text, at, a);

			if (r.letters < a->form->least)
				continue;
			memset(out + r.from, '*', r.to - r.from);
			return r.to - at;
		}
	}
	return 1;
}

bool
conf_hides(const struct conf_provider *p)
{
	return p->hidden->forms != NULL;
}

static bool
is_passed_over(const struct conf_hidden *h, const char *p, size_t n)
{
	return n < 2 ||
	    (!letter_forms_is_sign(p[0]) && !letter_forms_is_sign(p[1]) &&
	        !has_pair(h, p));
}

void
conf_hide_keys(const struct conf_provider *p, char *text, size_t n)
{
	if (!conf_hides(p))
		return;
	for (size_t at = 0; at < n;)
		at += is_passed_over(p->hidden, text + at, n - at)
		    ? 1
		    : hide_at(p->hidden, (struct slice){ text, n }, at, text);
}

/* Bytes at the end of the text that are letters of that form. */
static size_t
begun(struct slice text, const char *form)
{
	size_t least = text.n, letters = 0, from;

	for (size_t at = strlen(form); at > 0; at--) {
		from = back(text, form, at, &letters);
		if (from < least)
			least = from;
	}
	return text.n - least;
}

size_t
conf_hidden_begun(const struct conf_provider *p, const char *text, size_t n)
{
	size_t signs = 0,
	       near = n < LETTER_FORMS_BYTES ? n : LETTER_FORMS_BYTES;
	size_t open;
	struct slice whole = { text, n };
	size_t most = 0, one;

	for (size_t i = 1; i <= near; i++)
		signs += letter_forms_is_sign(text[n - i]);
	if (!conf_hides(p) || n == 0 ||
	    (signs == 0 && !p->hidden->is_letter[place_of(text[n - 1])]))
		return 0;
	open = letter_forms_open(whole);
	whole.n -= open;
	for (const struct form *f = p->hidden->forms; f; f = f->next)
		if ((one = begun(whole, f->text)) > most)
			most = one;
	return most + open;
}
