/*
 * A short list and a plain search.  A secret is also known as JSON escapes it,
 * so that a file of JSON can be masked as bytes.
 */
#include "agent/text/mask.h"

#include "base/mem.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define SECRETS_MAX 64

static char *mask_secrets[SECRETS_MAX]; /* owned, for the process's life */
static size_t mask_count;

/* How names of secrets end. */
static const char *const mask_suffixes[] = { "KEY", "TOKEN", "SECRET",
	"PASSWORD", "PASSWD", "CREDENTIALS" };

static void
add_one(const char *secret, size_t n)
{
	if (n < MASK_BYTES_MIN || mask_count == SECRETS_MAX)
		return;
	for (size_t i = 0; i < mask_count; i++)
		if (strncmp(mask_secrets[i], secret, n) == 0 &&
		    mask_secrets[i][n] == '\0')
			return;
	mask_secrets[mask_count++] = xstrndup(secret, n);
}

void
mask_add(const char *secret)
{
	json_t *value = secret ? json_string(secret) : NULL;
	char *escaped =
	    value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	if (secret)
		add_one(secret, strlen(secret));
	if (escaped)
		add_one(escaped + 1, strlen(escaped) - 2);
	free(escaped);
	json_decref(value);
}

static bool
names_a_secret(const char *name, size_t n)
{
	for (size_t i = 0; i < COUNT(mask_suffixes); i++) {
		size_t k = strlen(mask_suffixes[i]);

		if (n >= k &&
		    strncasecmp(name + n - k, mask_suffixes[i], k) == 0)
			return true;
	}
	return false;
}

void
mask_add_environment(void)
{
	for (char **e = environ; *e; e++) {
		size_t n = strcspn(*e, "=");

		if ((*e)[n] == '=' && names_a_secret(*e, n))
			mask_add(*e + n + 1);
	}
}

static void
mask_one(char *text, size_t n, const char *secret)
{
	size_t k = strlen(secret);

	/* In any case: capitals are easily put back. */
	for (size_t i = 0; i + k <= n; i++)
		if (strncasecmp(text + i, secret, k) == 0) {
			memset(text + i, '*', k);
			i += k - 1;
		}
}

void
mask_bytes(char *text, size_t n)
{
	for (size_t i = 0; i < mask_count; i++)
		mask_one(text, n, mask_secrets[i]);
}

void
mask_text(char *text)
{
	mask_bytes(text, strlen(text));
}

bool
mask_fits(const char *masked, const char *text)
{
	size_t i = 0;

	for (; masked[i] && text[i]; i++)
		if (masked[i] != text[i] && masked[i] != '*')
			return false;
	return masked[i] == text[i];
}

static bool
may_be_a_word(const char *secret)
{
	static const char letters[] =
	    "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = strlen(secret);

	return n < MASK_VALUE_MIN ||
	    (n < MASK_WORD_MIN && strspn(secret, letters) == n);
}

static void
mask_string(json_t *v)
{
	size_t n = json_string_length(v);
	char *text = xstrndup(json_string_value(v), n);

	for (size_t i = 0; i < mask_count; i++)
		if (!may_be_a_word(mask_secrets[i]))
			mask_one(text, n, mask_secrets[i]);
	/* A secret that is no whole UTF-8 leaves a text that is none. */
	if (json_string_setn(v, text, n) != 0)
		(void)json_string_set(v, "*");
	free(text);
}

void
mask_json(json_t *v)
{
	const char *key;
	json_t *child;
	size_t i;

	if (json_is_string(v))
		mask_string(v);
	json_array_foreach(v, i, child) {
		mask_json(child);
	}
	json_object_foreach(v, key, child) {
		mask_json(child);
	}
}

char *
mask_url(const char *url)
{
	const char *host = strstr(url, "://"), *at;

	if (!host)
		return xstrdup(url);
	host += 3;
	at = memrchr(host, '@', strcspn(host, "/?#"));
	if (!at)
		return xstrdup(url);
	add_one(host, (size_t)(at - host));
	for (const char *colon = host; colon < at; colon++)
		if (*colon == ':') {
			add_one(colon + 1, (size_t)(at - colon - 1));
			break;
		}
	return xasprintf("%.*s%s", (int)(host - url), url, at + 1);
}
