/*
 * How the keys of providers, clouds and this gateway begin.  A word that only
 * begins so is left alone: what follows has to be as long as a key is.  Bodies
 * are JSON, which may write any letter of it otherwise.
 */
#include "gateway/text/secret_shapes.h"

#include "base/mask.h"
#include "base/units.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS_MIN 16

static const char *const beginnings[] = { "AIza", "AKIA", "Bearer ", "eyJ",
	"api_key=", "ghp_", "github_pat_", "glpat-", "hf_", "kf-", "sk-",
	"xoxb-", "xoxp-" };

/* The byte at p, as it is or as a string of JSON may write it; *ret_n: of how
 * many it is made. */
static char
letter_at(const char *p, size_t *ret_n)
{
	char hex[5] = "", *end;
	long code;

	*ret_n = 1;
	if (p[0] == '\\' && p[1] == '/') {
		*ret_n = 2;
		return '/';
	}
	if (p[0] != '\\' || p[1] != 'u' || strnlen(p, 6) < 6)
		return *p;
	memcpy(hex, p + 2, 4);
	code = strtol(hex, &end, 16);
	if (*end || code < ' ' || code > '~')
		return *p;
	*ret_n = 6;
	return (char)code;
}

/* Bytes at p that begin so, however they are written; 0: they do not. */
static size_t
beginning_at(const char *p, const char *beginning)
{
	size_t at = 0, n;

	for (; *beginning; beginning++, at += n)
		if (letter_at(p + at, &n) != *beginning)
			return 0;
	return at;
}

/* Bytes of the letters of a key; 0: they are too few for one.  Where the text
 * was cut within it, what is left of it may be short. */
static size_t
letters_at(const char *p, bool may_be_cut)
{
	size_t at = 0, letters = 0, n;
	char c;

	while ((c = letter_at(p + at, &n)) != '\0' &&
	    (isalnum((unsigned char)c) || strchr("-_./+=", c))) {
		at += n;
		letters++;
	}
	return letters >= LETTERS_MIN || (may_be_cut && c == '\0') ? at : 0;
}

void
secrets_mask(char *text)
{
	for (size_t i = 0; i < COUNT(beginnings); i++) {
		char first = beginnings[i][0];
		size_t n;

		for (char *p = text; *p; p += n ? n : 1) {
			n = *p == first || *p == '\\'
			    ? beginning_at(p, beginnings[i])
			    : 0;
			if (n)
				/* "task-force" holds no "sk-". */
				memset(p + n, '*',
				    letters_at(p + n,
				        p == text ||
				            !isalnum((unsigned char)p[-1])));
		}
	}
}

void
secrets_mask_one(char *text, const char *secret)
{
	size_t n;

	if (!secret || (n = strlen(secret)) < LETTERS_MIN / 2)
		return;
	for (char *p = text; (p = strstr(p, secret)); p += n)
		memset(p, '*', n);
	/* What is kept of a body is cut before it is masked. */
	mask_end(text, strlen(text), secret);
}
