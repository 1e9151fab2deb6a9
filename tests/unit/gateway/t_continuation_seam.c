/* Where one target's text meets the next one's: at every place of texts with
 * white space, escapes, long characters and pairs, however they are spelled and
 * in whatever pieces they come, the client has the text that was meant. */
#include "gateway/decisions/continuation.h"

#include "tests/unit.h"
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 4096
#define UNITS_MAX  128
#define ASKED                                                                  \
	"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"q\"}" \
	"]}"

/* clang-format off */
static const char *const texts[] = {
	"a b", "ab", "a  b \\n\\n  c", "x\\t\\r\\ny", " \\n led", "tail \\n ", "  ",
	"caf\xc3\xa9\xc2\xa0 x", "\xe3\x80\x80wide\xe3\x80\x80\xe3\x80\x80z", "\\ud83d\\ude00 \\ud83d\\ude01",
	"\xf0\x9f\x98\x80\xf0\x9f\x98\x81 \xf0\x9f\x98\x80", "a\\\\n \\\\ \\\"\\/ q", "\\u0020\\u000A\\u2028x\\u00a0",
	"  if x:\\n    y\\n\\n  z", "\\u000b\\f\\b.\\u0000 e\xcc\x81 \\ud83d", "a \\ud83d\\ude00",
};

/* A target that says other white space than the one before it: what is told. */
static const struct {
	const char *what, *had, *says[4], *told; /* NULL: it does not go on */
} others[] = {
	{ "no blank a second time",     "a ",     { " ", " ", "b" },   " b" },
	{ "a blank is enough",          "a \\n",  { "b" },             "b" },
	{ "a tab for a blank",          "a ",     { "\\tb" },          "b" },
	{ "a line break for a blank",   "a ",     { "\\nb" },          "\\nb" },
	{ "two for one",                "a\\n",   { "\\n", "\\nb" },   "\\nb" },
	{ "a blank in front of it",     "a\\n",   { " \\nb" },         "b" },
	{ "a blank that was in front",  "a \\n",  { "\\n\\nb" },       "\\nb" },
	{ "with a carriage return",     "a\\n",   { "\\r\\nb" },       "b" },
	{ "deeper",                     "a\\n  ", { "\\n    b" },      "  b" },
	{ "less deep",                  "a\\n    ", { "\\n  b" },      "b" },
	{ "only blanks so far",         "  ",     { "a" },             "a" },
	{ "another character's half",   "a\\ud83d", { "\\ud83c\\udf00" }, NULL },
	{ "a blank for a half",         "a\\ud83d", { " ", "b" },      NULL },
	{ "a word for a half",          "a \\ud83d", { " b" },         NULL },
	{ "half, half",                 "a\\ud83d", { "\\ud83d", "\\ude00b" }, "\\ude00b" },
	{ "in one, raw",                "a\\ud83d", { "\xf0\x9f\x98\x80" "b" }, "\\ude00b" },
};
/* clang-format on */

/* ---- a reader of its own: a text as the units that a client has */

static unsigned
hex4(const char *p)
{
	char digits[5] = "";
	unsigned v = 0;

	memcpy(digits, p, 4);
	sscanf(digits, "%x", &v);
	return v;
}

/* The bytes of the first escape or character. */
static size_t
atom(const char *p)
{
	unsigned char c = (unsigned char)*p;

	if (c == '\\')
		return p[1] == 'u' ? 6 : 2;
	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* The lower six bits of byte i. */
static unsigned
six(const char *p, size_t i)
{
	return (unsigned char)p[i] & 63u;
}

static unsigned
code_of(const char *p, size_t n)
{
	unsigned c = (unsigned char)*p;

	if (n == 1)
		return c;
	if (n == 2)
		return (c & 31u) << 6 | six(p, 1);
	if (n == 3)
		return (c & 15u) << 12 | six(p, 1) << 6 | six(p, 2);
	return (c & 7u) << 18 | six(p, 1) << 12 | six(p, 2) << 6 | six(p, 3);
}

static size_t
units_of(const char *p, size_t n, unsigned units[UNITS_MAX])
{
	static const char letters[] = "bfnrt", are[] = "\b\f\n\r\t";
	const char *end = p + n, *at;
	size_t k = 0;

	for (; p < end && k + 1 < UNITS_MAX; p += n) {
		n = atom(p);
		if (*p == '\\' && n == 2) {
			at = strchr(letters, p[1]);
			units[k++] =
			    (unsigned char)(at ? are[at - letters] : p[1]);
			continue;
		}
		units[k] = *p == '\\' ? hex4(p + 2) : code_of(p, n);
		if (units[k] > 0xffff) {
			units[k + 1] = 0xdc00 + (units[k] & 1023);
			units[k] = 0xd7c0 + (units[k] >> 10);
			k++;
		}
		k++;
	}
	return k;
}

static const char *
shown(const char *p, size_t n)
{
	static char rows[2][UNITS_MAX * 8];
	static size_t next;
	unsigned units[UNITS_MAX];
	size_t k = units_of(p, n, units), at = 0;
	char *out = rows[next++ % 2];

	out[0] = '\0';
	for (size_t i = 0; i < k; i++)
		at += (size_t)sprintf(out + at, "%04x ", units[i]);
	return out;
}

/* ---- a target */

enum spelling { AS_IT_STANDS, ESCAPED, NSPELLINGS };

/* The n first units of a text from `from` on, in that spelling. */
static void
spell(const char *text, size_t from, size_t n, enum spelling how, char *out)
{
	unsigned units[UNITS_MAX];
	size_t k = 0, at = 0;

	out[0] = '\0';
	if (how == ESCAPED) {
		size_t all = units_of(text, strlen(text), units);

		for (; from < all && n > 0; from++, n--)
			at += (size_t)sprintf(out + at, "\\u%04x", units[from]);
		return;
	}
	for (const char *p = text; *p; p += atom(p)) {
		if (k >= from && k < from + n)
			at +=
			    (size_t)sprintf(out + at, "%.*s", (int)atom(p), p);
		k += units_of(p, atom(p), units);
	}
}

static struct slice
event_of(const struct schema *schema, const char *words, char *out)
{
	sprintf(out,
	    schema->kind == SCHEMA_CHAT
	        ? "{\"id\":\"i\",\"choices\":[{\"index\":0,\"delta\":{"
	          "\"content\":\"%s\"}}]}"
	        : "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{"
	          "\"type\":\"text_delta\",\"text\":\"%s\"}}",
	    words);
	return slice_of(out);
}

/* What the client reads of it is appended to had. */
static enum err
says(struct continuation *s, const struct schema *schema, const char *words,
    char *had)
{
	char event[TEXT_BYTES];
	struct slice data = event_of(schema, words, event), told;
	struct chunk chunk;
	struct buf out;
	enum err e;

	buf_init(&out, TEXT_BYTES);
	chunk_read(schema, data, &chunk);
	e = continuation_retell(s, schema, &chunk, data, &out);
	if (e == ERR_OK && out.len > 0) {
		told = slice_of(strstr(out.data, "data: ") + strlen("data: "));
		told.n -= strlen("\n\n");
		CHECK_INT(chunk_read(schema, told, &chunk), ERR_OK, out.data);
		strncat(had, chunk.text.p, chunk.text.n);
	}
	buf_done(&out);
	return e;
}

/* It is asked to go on; how many units it was given. */
static size_t
asked(struct continuation *s, enum continuation_way way, const char *what)
{
	struct peek_edit edits[CONTINUATION_EDITS_MAX];
	unsigned units[UNITS_MAX];
	struct buf room;
	struct peek k;
	size_t n, given;

	buf_init(&room, TEXT_BYTES);
	peek_read(slice_of(ASKED), &k, NULL);
	CHECK_INT(continuation_edits(s, way, &k, &room, edits, &n), ERR_OK,
	    what);
	buf_done(&room);
	given = units_of(s->text.data, s->given, units);
	CHECK_INT(given > 0 && units[given - 1] <= ' ' &&
	        units[given - 1] != '\b' && units[given - 1] != 0,
	    0, what);
	return given;
}

static void
begin(struct continuation *s, const char *text, char *had)
{
	struct chunk chunk = { .payload = true, .text = slice_of(text) };

	continuation_init(s);
	continuation_note(s, &chunk);
	s->blocks = 1;
	s->is_open = true;
	snprintf(had, TEXT_BYTES, "%s", text);
}

/* The first says `first` units of the text, the second until `second`, the
 * third what is left; the latter two in pieces. */
static void
in_three(const char *text, size_t first, size_t second, size_t piece,
    const struct schema *schema, enum spelling how)
{
	char had[TEXT_BYTES], words[TEXT_BYTES], what[TEXT_BYTES];
	unsigned units[UNITS_MAX];
	size_t n = units_of(text, strlen(text), units), at, end;
	struct continuation s;

	snprintf(what, sizeof what, "%s at %zu and %zu by %zu, %s, spelled %d",
	    text, first, second, piece, schema->name, how);
	spell(text, 0, first, how, words);
	begin(&s, words, had);
	for (int k = 0; k < 2; k++) {
		at = asked(&s, k ? CONTINUATION_FINAL : CONTINUATION_PREFILL,
		    what);
		end = k ? n : second;
		for (; at < end; at += piece) {
			spell(text, at, piece < end - at ? piece : end - at,
			    how, words);
			CHECK_INT(says(&s, schema, words, had), ERR_OK, what);
		}
	}
	CHECK_STR(shown(had, strlen(had)), shown(text, strlen(text)), what);
	CHECK_STR(shown(s.text.data, s.text.len), shown(text, strlen(text)),
	    what);
	continuation_done(&s);
}

/* A character that stands as itself cannot be split between events. */
static bool
can_split(const char *text, size_t at, enum spelling how)
{
	unsigned units[UNITS_MAX];
	size_t k = 0;

	for (const char *p = text; *p && k < at; p += atom(p))
		k += units_of(p, atom(p), units);
	return k == at || how == ESCAPED;
}

static void
at_every_place(const struct schema *schema, enum spelling how)
{
	unsigned units[UNITS_MAX];

	for (size_t i = 0; i < COUNT(texts); i++) {
		size_t n = units_of(texts[i], strlen(texts[i]), units);

		for (size_t a = 1; a < n; a++)
			for (size_t b = a; b <= n; b++)
				if (can_split(texts[i], a, how) &&
				    can_split(texts[i], b, how)) {
					if (how == ESCAPED)
						in_three(texts[i], a, b, 1,
						    schema, how);
					in_three(texts[i], a, b, n, schema,
					    how);
				}
	}
}

static void
says_other_blanks(const struct schema *schema)
{
	for (size_t i = 0; i < COUNT(others); i++) {
		char had[TEXT_BYTES];
		struct continuation s;
		enum err e = ERR_OK;

		begin(&s, others[i].had, had);
		asked(&s, CONTINUATION_DEEPSEEK, others[i].what);
		had[0] = '\0';
		for (size_t k = 0; k < 4 && others[i].says[k] && e == ERR_OK;
		     k++)
			e = says(&s, schema, others[i].says[k], had);
		CHECK_INT(e, others[i].told ? ERR_OK : ERR_SYNTAX,
		    others[i].what);
		if (others[i].told)
			CHECK_STR(had, others[i].told, others[i].what);
		continuation_done(&s);
	}
}

void t_continuation_seam(void);

void
t_continuation_seam(void)
{
	static const enum schema_kind kinds[] = { SCHEMA_CHAT,
		SCHEMA_MESSAGES };

	for (size_t i = 0; i < COUNT(kinds); i++) {
		says_other_blanks(schema_of(kinds[i]));
		for (int how = 0; how < NSPELLINGS; how++)
			at_every_place(schema_of(kinds[i]), (enum spelling)how);
	}
}
