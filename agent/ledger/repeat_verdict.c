/*
 * A ledger commits to a seed before a model is asked and reveals it after the
 * verdict, so whoever has the ledger and the kernel can see the same cases.
 */
#include "agent/ledger/repeat_verdict.h"

#include "agent/ledger/ledger.h"
#include "agent/ledger/rundir.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/mask.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEED_DIGITS 64

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Two digits a byte; false: something else stands there. */
static bool
read_bytes(const char *hex, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int high = digit(hex[2 * i]);
		int low = high < 0 ? -1 : digit(hex[2 * i + 1]);

		if (low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

enum err
repeat_from_hex(const char *hex, struct repeat *ret, struct why *why)
{
	size_t n = strlen(hex);
	struct repeat r = { .has_nonce = n == 2 * (size_t)SEED_DIGITS };

	if ((n != SEED_DIGITS && !r.has_nonce) ||
	    !read_bytes(hex, r.seed, sizeof r.seed) ||
	    (r.has_nonce &&
	        !read_bytes(hex + SEED_DIGITS, r.nonce, sizeof r.nonce)))
		return why_set(why, ERR_SYNTAX,
		    "found \"%.40s\" (%zu characters), expected %d "
		    "hexadecimal digits of a seed, or %d of seed and nonce",
		    hex, n, SEED_DIGITS, 2 * SEED_DIGITS);
	*ret = r;
	return ERR_OK;
}

/* The line of the attempt that says its seed; NULL: none does. */
static const struct ledger_entry *
find_reveal(const struct ledger *l, const char *op, unsigned iteration)
{
	const struct ledger_entry *found = NULL;

	for (size_t i = 0; i < ledger_count(l); i++) {
		const struct ledger_entry *e = ledger_at(l, i);

		if (strcmp(e->op, op) == 0 && e->iteration == iteration &&
		    json_object_get(e->line, "seed_reveal"))
			found = e;
	}
	return found;
}

static const char *
text_of(const struct ledger_entry *e, const char *key)
{
	const char *s = json_string_value(json_object_get(e->line, key));

	return s ? s : "";
}

static bool
is_folder(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* What the run keeps beside its ledger: kernels/OP/N.cl. */
static char *
kernel_beside(const char *ledger, const char *op, unsigned iteration)
{
	const char *slash = strrchr(ledger, '/');

	return xasprintf("%.*skernels/%s/%u.cl",
	    slash ? (int)(slash + 1 - ledger) : 0, ledger, op, iteration);
}

static enum err
read_attempt(const struct ledger *l, const char *path, const char *op,
    unsigned iteration, struct repeat *ret, struct why *why)
{
	const struct ledger_entry *e;
	enum err err;

	if (iteration == 0)
		iteration = ledger_iteration(l, op);
	e = find_reveal(l, op, iteration);
	if (!e)
		return why_set(why, ERR_NOTFOUND,
		    "%s: %s, iteration %u: no line reveals its seed", path, op,
		    iteration);
	err = repeat_from_hex(text_of(e, "seed_reveal"), ret, why);
	if (err != ERR_OK)
		return why_prefix(why, err, "%s: seed_reveal", path);
	snprintf(ret->source_sha256, sizeof ret->source_sha256, "%s",
	    text_of(e, "source_sha256"));
	ret->file = kernel_beside(path, op, iteration);
	return ERR_OK;
}

enum err
repeat_from_ledger(const char *path, const char *op, unsigned iteration,
    struct repeat *ret, struct why *why)
{
	char *file =
	    is_folder(path) ? files_join(path, "ledger.jsonl") : xstrdup(path);
	struct ledger *l = NULL;
	enum err e = ledger_read(file, &l, why);

	if (e == ERR_OK)
		e = read_attempt(l, file, op, iteration, ret, why);
	ledger_free(l);
	free(file);
	return e;
}

static bool
is_hashed(const struct candidate *c, const char *hash)
{
	char now[DIGEST_HEX];

	digest_sha256_hex(c->source, strlen(c->source), now);
	return strcmp(now, hash) == 0;
}

/* The record of FILE.cl, FILE.json; NULL: it cannot be read. */
static json_t *
record_beside(const char *file)
{
	char *path = xasprintf("%.*s.json", (int)(strlen(file) - 3), file);
	char *text = NULL;
	json_t *record = NULL;
	size_t len;

	if (files_read(path, RUNDIR_JSON_MAX, &text, &len, NULL) == ERR_OK)
		record = json_loadb(text, len, 0, NULL);
	free(text);
	free(path);
	return record;
}

bool
repeat_is_of(const struct repeat *r, const struct candidate *c)
{
	json_t *record, *answer;
	struct candidate judged = { 0 };
	char *made = NULL;
	bool is;

	if (!*r->source_sha256 || is_hashed(c, r->source_sha256))
		return true;
	record = record_beside(r->file);
	answer = json_object_get(record, "answer");
	if (json_is_string(answer) &&
	    candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &judged, NULL) == ERR_OK &&
	    is_hashed(&judged, r->source_sha256))
		made = candidate_to_file(&judged);
	/* The file was masked; the answer's escapes hid from that. */
	is = made && mask_fits(c->source, made);
	free(made);
	candidate_done(&judged);
	json_decref(record);
	return is;
}

void
repeat_done(struct repeat *r)
{
	free(r->file);
	r->file = NULL;
}
