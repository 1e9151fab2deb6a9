/*
 * Hashes of records, and what they are compared with.
 *
 * A hash is taken of the text as the file holds it (keys sorted, nine digits,
 * secrets masked), for who checks it has only the file.
 */
#include "agent/run/record_hash.h"

#include "agent/ledger/opinion.h"
#include "agent/ledger/rundir.h"
#include "base/chained_journal.h"
#include "base/files.h"
#include "base/mask.h"
#include "base/mem.h"
#include "cltext/candidate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAIMED      "verified_correct"
#define KERNEL_BYTES ((size_t)1024 * 1024)
#define DUMP_FLAGS   (JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9))

/* What is no part of a record from its beginning. */
static const struct {
	const char *key;
	enum record_stage since;
} record_parts[] = {
	{ "assumptions", RECORD_JUDGED },
	{ "judged", RECORD_JUDGED },
	{ "feedback", RECORD_JUDGED },
	{ "audit", RECORD_AUDITED },
	{ "timing", RECORD_AUDITED },
	/* What the proxy's log says, which nobody asks before the run's end. */
	{ "corrupted", RECORD_NSTAGES },
};

void
record_strip(json_t *record, enum record_stage s)
{
	for (size_t i = 0; i < COUNT(record_parts); i++)
		if (record_parts[i].since > s)
			json_object_del(record, record_parts[i].key);
}

static void
hash_at(json_t *record, enum record_stage s, bool is_new, char out[DIGEST_HEX])
{
	json_t *then = json_copy(record);
	char *text;

	record_strip(then, s);
	text = json_dumps(then, DUMP_FLAGS);
	/* What is read from a file is masked already, and by whoever runs this
	 * it might be masked otherwise. */
	if (text && is_new)
		mask_text(text);
	digest_sha256_hex(text ? text : "", text ? strlen(text) : 0, out);
	free(text);
	json_decref(then);
}

void
record_hash(json_t *record, enum record_stage s, char out[DIGEST_HEX])
{
	hash_at(record, s, true, out);
}

static void
hash_json(json_t *value, char out[DIGEST_HEX])
{
	char *text =
	    json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	digest_sha256_hex(text ? text : "", text ? strlen(text) : 0, out);
	free(text);
}

static json_t *
answer_binding(json_t *record)
{
	json_t *answer = json_object_get(record, "answer");
	char of_answer[DIGEST_HEX], of_asked[DIGEST_HEX];

	digest_sha256_hex(json_string_value(answer), json_string_length(answer),
	    of_answer);
	hash_json(json_object_get(record, "asked"), of_asked);
	return json_pack("{s:s, s:s}", "answer_sha256", of_answer,
	    "prompt_sha256", of_asked);
}

json_t *
record_binding(json_t *record)
{
	json_t *binding = answer_binding(record);
	char of_record[DIGEST_HEX];

	record_hash(record, RECORD_ANSWERED, of_record);
	json_object_set_new(binding, "record_sha256", json_string(of_record));
	return binding;
}

bool
record_is_bound(json_t *record, const struct ledger_entry *generated)
{
	const char *route = json_string_value(json_object_get(record, "route"));
	json_t *binding, *want;
	const char *key;
	bool fits = route && strcmp(route, generated->route) == 0 &&
	    json_is_string(json_object_get(record, "answer"));

	if (!fits)
		return false;
	binding = answer_binding(record);
	json_object_foreach(binding, key, want)
		fits = fits &&
		    json_equal(want, json_object_get(generated->line, key));
	json_decref(binding);
	return fits;
}

/* Is the record at that stage what hash says?  NULL says nothing. */
static bool
is_hashed(json_t *record, enum record_stage s, const char *hash)
{
	char now[DIGEST_HEX];

	if (!hash)
		return true;
	hash_at(record, s, false, now);
	return strcmp(now, hash) == 0;
}

static const char *
hash_of(json_t *line)
{
	return json_string_value(json_object_get(line, "record_sha256"));
}

/* The line that ended the iteration; NULL: it is open. */
static const struct ledger_entry *
verdict_of(const struct ledger *l, const char *op, unsigned iteration)
{
	static const enum ledger_state ends[] = { LEDGER_VERIFIED_CORRECT,
		LEDGER_VERIFIED_INCORRECT, LEDGER_ABANDONED };
	const struct ledger_entry *found = NULL;

	for (size_t i = 0; i < COUNT(ends) && !found; i++)
		found = ledger_find(l, op, iteration, ends[i]);
	return found;
}

bool
record_has_bound_audit(const struct ledger *l, const char *op,
    unsigned iteration)
{
	const struct ledger_entry *claim =
	    ledger_find(l, op, iteration, LEDGER_VERIFIED_CORRECT);

	return ledger_bound(l, op, iteration) || !claim ||
	    !hash_of(claim->line);
}

/* What came behind a claim: of a ledger that is closed, all of it is told. */
static bool
is_audit_kept(const struct ledger *l, const struct ledger_entry *verdict,
    json_t *record)
{
	const char *bound = ledger_bound(l, verdict->op, verdict->iteration);

	if (bound || !hash_of(verdict->line) || !ledger_is_closed(l))
		return is_hashed(record, RECORD_AUDITED, bound);
	return is_hashed(record, RECORD_AUDITED, hash_of(verdict->line));
}

/* A record without a verdict has nothing to contradict. */
static bool
is_verdict_kept(const struct ledger_entry *verdict, json_t *record)
{
	const char *word = json_string_value(
	    json_object_get(json_object_get(record, "judged"), "verdict"));

	/* By another lab's veto alone an attempt ends without a claim although
	 * ours found nothing wrong. */
	bool is_right = verdict->state == LEDGER_VERIFIED_CORRECT ||
	    opinion_ended(verdict->state,
	        json_string_value(json_object_get(verdict->line, "class")));

	return !word || is_right == (strcmp(word, CLAIMED) == 0);
}

static bool
is_record_kept(const struct ledger *l, const struct ledger_entry *generated,
    const struct ledger_entry *verdict, json_t *record)
{
	if (generated && !record_is_bound(record, generated))
		return false;
	if (!verdict)
		return !generated ||
		    is_hashed(record, RECORD_ANSWERED,
		        hash_of(generated->line));
	return is_hashed(record, RECORD_JUDGED, hash_of(verdict->line)) &&
	    is_verdict_kept(verdict, record) &&
	    is_audit_kept(l, verdict, record);
}

static bool
is_kernel_kept(const char *path, json_t *record, bool may_lack)
{
	json_t *answer = json_object_get(record, "answer");
	struct candidate c = { 0 };
	char *want = NULL, *text = NULL;
	size_t len;
	bool is_kept;

	if (candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &c, NULL) == ERR_OK)
		want = candidate_to_file(&c);
	candidate_done(&c);
	if (files_read_kept(path, KERNEL_BYTES, &text, &len, NULL) != ERR_OK)
		is_kept = !want || (may_lack && !files_exists(path));
	else
		/* The file was masked; the answer's escapes hid from that. */
		is_kept = want && strlen(text) == len && mask_fits(text, want);
	free(text);
	free(want);
	return is_kept;
}

/* "kernels/OP/TRY.cl" unless it is the answer's kernel. */
static char *
kernel_forged(const char *dir, const char *op, const char *try, json_t *record,
    bool may_lack)
{
	char *name = xasprintf("kernels/%s/%s.cl", op, try);
	char *path = files_join(dir, name);
	bool is_kept = is_kernel_kept(path, record, may_lack);

	free(path);
	if (!is_kept)
		return name;
	free(name);
	return NULL;
}

char *
record_forged(const char *dir, const struct ledger *l, const char *op,
    unsigned iteration, json_t *record)
{
	const struct ledger_entry *generated =
	    ledger_find(l, op, iteration, LEDGER_GENERATED);
	const struct ledger_entry *verdict = verdict_of(l, op, iteration);
	bool is_open = ledger_iteration(l, op) == iteration &&
	    ledger_state(l, op) == LEDGER_GENERATED;
	char try[16];

	if (!is_record_kept(l, generated, verdict, record))
		return xasprintf("kernels/%s/%u.json", op, iteration);
	if (!generated)
		return NULL;
	(void)snprintf(try, sizeof try, "%u", iteration);
	return kernel_forged(dir, op, try, record, is_open);
}

char *
record_naive_forged(const char *dir, json_t *line, json_t *record)
{
	const char *op = json_string_value(json_object_get(line, "op"));

	if (!op || !hash_of(line))
		return NULL;
	if (!is_hashed(record, RECORD_JUDGED, hash_of(line)))
		return xasprintf("kernels/%s/naive.json", op);
	return kernel_forged(dir, op, "naive", record, false);
}

/* ---- all of a run */

struct looking {
	const char *dir;
	char *forged; /* owned: the first */
};

static void
look_at_naive(json_t *line, void *arg)
{
	struct looking *look = arg;
	const char *op = json_string_value(json_object_get(line, "op"));
	json_t *record;

	if (look->forged || !op)
		return;
	record = rundir_read_record(look->dir, op, "naive");
	look->forged = record_naive_forged(look->dir, line, record);
	json_decref(record);
}

char *
record_first_forged(const char *dir, const struct ledger *l)
{
	struct looking look = { .dir = dir };
	char *path = files_join(dir, "naive.jsonl");

	for (size_t i = 0; i < ledger_count(l) && !look.forged; i++) {
		const struct ledger_entry *e = ledger_at(l, i);
		char try[16];
		json_t *record;

		if (e->state != LEDGER_ATTEMPTED)
			continue;
		(void)snprintf(try, sizeof try, "%u", e->iteration);
		record = rundir_read_record(dir, e->op, try);
		look.forged =
		    record_forged(dir, l, e->op, e->iteration, record);
		json_decref(record);
	}
	/* A chain that does not hold was refused when the run was opened. */
	(void)journal_check(path, look_at_naive, &look, NULL, NULL);
	free(path);
	return look.forged;
}
