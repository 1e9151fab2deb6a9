/*
 * The header is cut into logical lines once.  A line that is one whole
 * function declaration has a name and can be left out; any other stays.  A
 * conditional that has nothing left in it goes too: the preprocessor would
 * have to read it.
 */
#include "lab/read/opencl_header.h"

#include "base/files.h"
#include "base/mem.h"
#include <ctype.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_MAX ((size_t)8 << 20)
#define DEPTH_MAX  32 /* of conditionals */
#define UNDO_GUARD "#undef _OPENCL_H_\n"

enum line_kind {
	LINE_DECLARATION,
	LINE_IF,
	LINE_ELSE,
	LINE_ENDIF,
	LINE_OTHER,
	LINE_SKIPPED,
};

struct line {
	enum line_kind kind;
	const char *text; /* with its newline */
	size_t bytes;
	const char *name; /* of a declaration; not terminated */
	size_t name_bytes;
	size_t index; /* of the name in names[] */
};

struct header {
	char *text; /* owned */
	struct line *lines;
	size_t nlines;
	const struct line **names; /* one declaration a name, sorted */
	size_t nnames;
};

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Up to and with a newline that no backslash continues, and that is not in
 * the comment that the line begins with. */
static size_t
logical_line(const char *text)
{
	const char *p = text;

	if (strncmp(p, "/*", 2) == 0 && strstr(p, "*/"))
		p = strstr(p, "*/") + 1;
	while (*p && !(*p == '\n' && (p == text || p[-1] != '\\')))
		p++;
	return (size_t)(p - text) + (*p == '\n');
}

static bool
begins(const struct line *l, const char *word)
{
	size_t n = strlen(word);

	return l->bytes > n && strncmp(l->text, word, n) == 0 &&
	    !is_word(l->text[n]);
}

/* A comment and nothing else, or not even that. */
static bool
says_nothing(const struct line *l)
{
	const char *from = l->text, *end;

	if (strncmp(from, "//", 2) == 0)
		return true;
	if (strncmp(from, "/*", 2) == 0 && (end = strstr(from, "*/")) != NULL)
		from = end + 2;
	return from + strspn(from, " \t\r\n") >= l->text + l->bytes;
}

/* "TYPE ATTRIBUTES NAME(ARGUMENTS);" on a line of its own. */
static bool
is_declaration(struct line *l)
{
	const char *open = memchr(l->text, '(', l->bytes), *name;
	int depth = 0;
	size_t end = l->bytes;

	while (end > 0 && isspace((unsigned char)l->text[end - 1]))
		end--;
	if (!open || end < 2 || strncmp(l->text + end - 2, ");", 2) != 0 ||
	    !is_word(l->text[0]) || begins(l, "typedef"))
		return false;
	for (size_t i = 0; i < end; i++) {
		depth += (l->text[i] == '(') - (l->text[i] == ')');
		/* Any of these may make more of the line than a declaration (a
		 * comment, a macro that goes on, a body), and then it stays. */
		if (depth < 0 || strchr("/\\{}\"", l->text[i]) ||
		    (depth == 0 && i < end - 2 && l->text[i] == ')'))
			return false;
	}
	for (name = open; name > l->text && is_word(name[-1]);)
		name--;
	l->name = name;
	l->name_bytes = (size_t)(open - name);
	return depth == 0 && name > l->text && name < open;
}

static enum line_kind
kind_of(struct line *l)
{
	static const struct {
		const char *word;
		enum line_kind kind;
	} words[] = {
		{ "#if", LINE_IF },
		{ "#ifdef", LINE_IF },
		{ "#ifndef", LINE_IF },
		{ "#elif", LINE_ELSE },
		{ "#else", LINE_ELSE },
		{ "#endif", LINE_ENDIF },
		/* what it includes, PoCL has included before */
		{ "#include", LINE_SKIPPED },
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (begins(l, words[i].word))
			return words[i].kind;
	if (says_nothing(l))
		return LINE_SKIPPED;
	return is_declaration(l) ? LINE_DECLARATION : LINE_OTHER;
}

static int
compare_names(const struct line *a, const struct line *b)
{
	size_t n =
	    a->name_bytes < b->name_bytes ? a->name_bytes : b->name_bytes;
	int order = memcmp(a->name, b->name, n);

	if (order != 0)
		return order;
	return (a->name_bytes > b->name_bytes) -
	    (a->name_bytes < b->name_bytes);
}

static int
compare_entries(const void *a, const void *b)
{
	return compare_names(*(const struct line *const *)a,
	    *(const struct line *const *)b);
}

/* Every name once, and its place in every line that declares it. */
static void
index_names(struct header *h)
{
	size_t n = 0;

	h->names = xcalloc(h->nlines + 1, sizeof(struct line *));
	for (size_t i = 0; i < h->nlines; i++)
		if (h->lines[i].kind == LINE_DECLARATION)
			h->names[n++] = &h->lines[i];
	qsort(h->names, n, sizeof(struct line *), compare_entries);
	for (size_t i = 0; i < n; i++) {
		if (h->nnames == 0 ||
		    compare_names(h->names[h->nnames - 1], h->names[i]) != 0)
			h->names[h->nnames++] = h->names[i];
		/* Overloads share a name and are kept together: which one is
		 * meant is the compiler's to find. */
		h->lines[h->names[i] - h->lines].index = h->nnames - 1;
	}
}

static bool
cut(struct header *h)
{
	int depth = 0;

	for (const char *p = h->text; *p; h->nlines++) {
		struct line *l = &h->lines[h->nlines];

		l->text = p;
		l->bytes = logical_line(p);
		p += l->bytes;
		l->kind = kind_of(l);
		depth += (l->kind == LINE_IF) - (l->kind == LINE_ENDIF);
		if (depth < 0 || depth > DEPTH_MAX)
			return false;
	}
	return depth == 0;
}

enum err
header_parse(const char *text, struct header **ret, struct why *why)
{
	struct header *h = xcalloc(1, sizeof *h);
	size_t most = 1;

	h->text = xstrdup(text);
	for (const char *p = text; *p; p++)
		most += *p == '\n';
	h->lines = xcalloc(most + 1, sizeof *h->lines);
	/* Without this guard PoCL could not be kept from reading the whole
	 * after the cut, and every name would be declared twice. */
	if (!strstr(text, "#ifndef _OPENCL_H_\n") || !cut(h)) {
		header_free(h);
		return why_set(why, ERR_SYNTAX, "not an opencl-c.h");
	}
	index_names(h);
	*ret = h;
	return ERR_OK;
}

void
header_free(struct header *h)
{
	if (!h)
		return;
	free(h->text);
	free(h->lines);
	free(h->names);
	free(h);
}

/* Which names occur in a program; owned. */
static bool *
names_in(const struct header *h, const char *program)
{
	bool *used = xcalloc(h->nnames + 1, sizeof *used);

	for (const char *p = program; *p;) {
		struct line word = { .name = p };
		const struct line *key = &word, **found;

		/* Words of comments and strings count too, which keeps too
		 * much.  One that "##" makes is missed: device_build() then
		 * takes the whole. */
		while (is_word(*p))
			p++;
		word.name_bytes = (size_t)(p - word.name);
		if (word.name_bytes == 0) {
			p++;
			continue;
		}
		found = bsearch(&key, h->names, h->nnames,
		    sizeof(struct line *), compare_entries);
		if (found)
			used[(*found)->index] = true;
	}
	return used;
}

/* What is kept so far. */
struct cutting {
	char *out;
	size_t len;
	int depth;
	struct {
		size_t at; /* where the conditional begins */
		bool is_needed;
	} open[DEPTH_MAX + 1];
};

static void
keep(struct cutting *c, const struct line *l)
{
	if (l->kind == LINE_IF) {
		c->depth++;
		c->open[c->depth].at = c->len;
		c->open[c->depth].is_needed = false;
	} else if (l->kind != LINE_ELSE && l->kind != LINE_ENDIF) {
		c->open[c->depth].is_needed = true;
	}
	for (size_t i = 0; i < l->bytes; i++)
		c->out[c->len++] = l->text[i];
	if (l->kind != LINE_ENDIF)
		return;
	c->depth--;
	if (c->open[c->depth + 1].is_needed)
		c->open[c->depth].is_needed = true;
	else
		c->len = c->open[c->depth + 1].at;
}

char *
header_for(const struct header *h, const char *program)
{
	struct cutting c = { .len = strlen(UNDO_GUARD) };
	bool *used = names_in(h, program);

	c.out = xmalloc(c.len + strlen(h->text) + 1);
	memcpy(c.out, UNDO_GUARD, c.len);
	for (size_t i = 0; i < h->nlines; i++) {
		const struct line *l = &h->lines[i];

		if (l->kind != LINE_SKIPPED &&
		    (l->kind != LINE_DECLARATION || used[l->index]))
			keep(&c, l);
	}
	c.out[c.len] = '\0';
	free(used);
	return c.out;
}

/* Copies the path of the loaded library's folder. */
static int
look_at_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *file = strrchr(info->dlpi_name, '/');
	char **ret = arg;

	(void)size;
	if (!file || strncmp(file, "/libpocl.so", 11) != 0)
		return 0;
	*ret =
	    xasprintf("%.*s", (int)(file - info->dlpi_name), info->dlpi_name);
	return 1;
}

enum err
header_of_pocl(struct header **ret, struct why *why)
{
	/* LIB/libpocl.so and LIB/MACHINE/libpocl.so */
	static const char *const ups[] = { "..", "../.." };
	enum err e = ERR_NOTFOUND;
	char *folder = NULL, *text = NULL;

	why_set(why, e, "libpocl.so is not loaded");
	dl_iterate_phdr(look_at_library, &folder);
	for (size_t i = 0; folder && e != ERR_OK && i < 2; i++) {
		char *path = xasprintf("%s/%s/share/pocl/include/opencl-c.h",
		    folder, ups[i]);

		e = files_read(path, HEADER_MAX, &text, NULL, why);
		free(path);
	}
	free(folder);
	if (e != ERR_OK)
		return ERR_NOTFOUND;
	e = header_parse(text, ret, why);
	free(text);
	return e;
}
