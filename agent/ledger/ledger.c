/*
 * The ledger's rules and its file.
 *
 * The transition table is the whole law; ledger_append and the reader apply
 * the same ledger_check, so a file that was edited by somebody who can also
 * compute hashes still has to tell a legal story.
 */
#include "agent/ledger/ledger.h"

#include "base/chained_journal.h"
#include "base/digest.h"
#include "base/jlenient.h"
#include "base/log.h"
#include "base/mem.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ledger {
	struct journal *journal; /* owned; NULL: not a file that we write */
	/* Owned, the lines too.  Each stays where it is: who was given one
	 * keeps it while another worker appends. */
	struct slot {
		struct ledger_entry *entry;
		size_t before; /* as in last: the same operator's */
	} * slots;
	size_t n;
	json_t *last;   /* owned: of each operator, its last slot, from 1 */
	json_t *bound;  /* owned: OP/ITERATION to the hash of its record */
	json_t *unsaid; /* owned: those of them that no line tells yet */
	json_t
	    *endings; /* owned: words of closing lines, by the lines before */
	bool is_closed;
	char ended[JOURNAL_WORD_MAX];
	pthread_mutex_t *lock; /* owned; recursive: checks ask what was */
};

static enum err ledger_check(const struct ledger *l,
    const struct ledger_step *step, struct why *why);
static enum err ledger_load(struct ledger *l, const char *path,
    struct why *why);
static void on_line(json_t *line, void *arg);
static void on_closing(json_t *line, void *arg);
static void ledger_keep(struct ledger *l, const struct ledger_step *step,
    json_t *line);

static const char *const ledger_names[LEDGER_NSTATES] = {
	[LEDGER_NONE] = "none",
	[LEDGER_ATTEMPTED] = "attempted",
	[LEDGER_GENERATED] = "generated",
	[LEDGER_COMPILED] = "compiled",
	[LEDGER_SMOKE_PASSED] = "smoke_passed",
	[LEDGER_VERIFIED_CORRECT] = "verified_correct",
	[LEDGER_VERIFIED_INCORRECT] = "verified_incorrect",
	[LEDGER_PERF_MEASURED] = "perf_measured",
	[LEDGER_ABANDONED] = "abandoned",
};

/* clang-format off */
/* [from][to]; a row that is not here allows nothing. */
static const bool ledger_table[LEDGER_NSTATES][LEDGER_NSTATES] = {
	[LEDGER_NONE]		  = { [LEDGER_ATTEMPTED] = true },
	[LEDGER_ATTEMPTED]	  = { [LEDGER_GENERATED] = true,
				      [LEDGER_ABANDONED] = true },
	[LEDGER_GENERATED]	  = { [LEDGER_COMPILED] = true,
				      [LEDGER_ABANDONED] = true },
	[LEDGER_COMPILED]	  = { [LEDGER_SMOKE_PASSED] = true,
				      [LEDGER_ABANDONED] = true },
	[LEDGER_SMOKE_PASSED]	  = { [LEDGER_VERIFIED_CORRECT] = true,
				      [LEDGER_VERIFIED_INCORRECT] = true,
				      [LEDGER_ABANDONED] = true },
	[LEDGER_VERIFIED_CORRECT] = { [LEDGER_PERF_MEASURED] = true },
};

/* The keys of a line that are the ledger's own. */
static const char *const ledger_keys[] = {
	"seq", "op", "iteration", "state", "route", "prev", "hash", "wall",
	"records",
};
/* clang-format on */

const char *
ledger_state_name(enum ledger_state s)
{
	return ledger_names[s];
}

const char *
ledger_state_label(enum ledger_state s)
{
	if (s == LEDGER_VERIFIED_INCORRECT)
		return "proved wrong";
	return ledger_names[s < LEDGER_NSTATES ? s : LEDGER_NONE];
}

enum ledger_state
ledger_state_find(const char *name)
{
	enum ledger_state s = LEDGER_ATTEMPTED;

	while (s < LEDGER_NSTATES && strcmp(ledger_names[s], name) != 0)
		s++;
	return s;
}

bool
ledger_may(enum ledger_state from, enum ledger_state to)
{
	return ledger_table[from][to];
}

bool
ledger_has_failed(enum ledger_state s)
{
	return s == LEDGER_VERIFIED_INCORRECT || s == LEDGER_ABANDONED;
}

bool
ledger_is_verified(enum ledger_state s)
{
	return s == LEDGER_VERIFIED_CORRECT || s == LEDGER_PERF_MEASURED;
}

struct ledger *
ledger_new(void)
{
	struct ledger *l = xcalloc(1, sizeof *l);
	pthread_mutexattr_t kind;

	l->last = json_object();
	l->bound = json_object();
	l->unsaid = json_object();
	l->endings = json_object();
	l->lock = xcalloc(1, sizeof *l->lock);
	(void)pthread_mutexattr_init(&kind);
	(void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	(void)pthread_mutex_init(l->lock, &kind);
	(void)pthread_mutexattr_destroy(&kind);
	return l;
}

void
ledger_free(struct ledger *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		json_decref(l->slots[i].entry->line);
		free(l->slots[i].entry);
	}
	free(l->slots);
	json_decref(l->last);
	json_decref(l->bound);
	json_decref(l->unsaid);
	json_decref(l->endings);
	journal_close(l->journal);
	(void)pthread_mutex_destroy(l->lock);
	free(l->lock);
	free(l);
}

enum err
ledger_open(const char *path, struct ledger **ret, size_t *ret_cut_bytes,
    struct why *why)
{
	struct ledger *l = ledger_new();
	enum err e;

	e = journal_open(path, JOURNAL_FSYNC, &l->journal, ret_cut_bytes, why);
	if (e == ERR_OK)
		e = ledger_load(l, path, why);
	if (e != ERR_OK) {
		ledger_free(l);
		return e;
	}
	*ret = l;
	return ERR_OK;
}

enum err
ledger_read(const char *path, struct ledger **ret, struct why *why)
{
	struct ledger *l = ledger_new();
	enum err e = ledger_load(l, path, why);

	if (e != ERR_OK) {
		ledger_free(l);
		return e;
	}
	*ret = l;
	return ERR_OK;
}

/* Carries a reading through journal_check, whose callback cannot fail. */
struct loading {
	struct ledger *l;
	const char *path;
	enum err e;
	struct why why;
	size_t line;
};

static enum err
ledger_load(struct ledger *l, const char *path, struct why *why)
{
	struct loading load = { .l = l, .path = path };
	const struct journal_reader reader = { .on_line = on_line,
		.on_closing = on_closing,
		.arg = &load };
	struct journal_facts facts;
	enum err e = journal_read(path, &reader, &facts, why);

	if (e != ERR_OK)
		return e;
	l->is_closed = facts.closed;
	memcpy(l->ended, facts.ended, sizeof l->ended);
	if (load.e != ERR_OK)
		return why_set(why, load.e, "%s", load.why.text);
	return ERR_OK;
}

static void
on_line(json_t *line, void *arg)
{
	struct loading *load = arg;
	const char *op = json_string_value(json_object_get(line, "op"));
	const char *state = json_string_value(json_object_get(line, "state"));
	const char *route = json_string_value(json_object_get(line, "route"));
	json_t *iteration = json_object_get(line, "iteration");
	struct ledger_step step = { .op = op, .route = route, .extra = line };

	load->line++;
	if (load->e != ERR_OK)
		return;
	if (!op || !state || !route || !json_is_integer(iteration) ||
	    json_integer_value(iteration) < 1 ||
	    json_integer_value(iteration) > LEDGER_ITERATION_MAX) {
		load->e = why_set(&load->why, ERR_SYNTAX,
		    "%s:%zu: not a ledger line: expected op, iteration, state "
		    "and route",
		    load->path, load->line);
		return;
	}
	if (load->line > LEDGER_LINES_MAX) {
		load->e = why_set(&load->why, ERR_TOOBIG,
		    "%s: more than %d lines", load->path, LEDGER_LINES_MAX);
		return;
	}
	step.iteration = (unsigned)json_integer_value(iteration);
	step.state = ledger_state_find(state);
	load->e = ledger_check(load->l, &step, &load->why);
	if (load->e == ERR_OK)
		ledger_keep(load->l, &step, line);
	else
		load->e = why_prefix(&load->why, ERR_SYNTAX, "%s:%zu",
		    load->path, load->line);
}

static void
keep_ending(struct ledger *l, const char *word)
{
	char lines[24];

	(void)snprintf(lines, sizeof lines, "%zu", l->n);
	json_object_set_new(l->endings, lines, json_string(word));
}

static void
on_closing(json_t *line, void *arg)
{
	struct loading *load = arg;

	json_object_update(load->l->bound, json_object_get(line, "records"));
	keep_ending(load->l, jlenient_text(line, "ended"));
}

static int
hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Is commit the hash of the bytes that reveal spells? */
static bool
reveal_fits(const char *reveal, const char *commit)
{
	uint8_t bytes[LEDGER_REVEAL_HEX / 2];
	char hash[DIGEST_HEX];

	if (strlen(reveal) != LEDGER_REVEAL_HEX)
		return false;
	for (size_t i = 0; i < sizeof bytes; i++) {
		int high = hex_digit(reveal[2 * i]);
		int low = hex_digit(reveal[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	digest_sha256_hex(bytes, sizeof bytes, hash);
	return strcmp(hash, commit) == 0;
}

/* A seed that was committed to is the one that is revealed; a verdict on a
 * committed seed reveals it. */
static enum err
check_seed(const struct ledger *l, const struct ledger_step *step,
    struct why *why)
{
	const char *reveal =
	    json_string_value(json_object_get(step->extra, "seed_reveal"));
	const char *commit = ledger_commit(l, step->op, step->iteration);
	bool is_verdict = step->state == LEDGER_VERIFIED_CORRECT ||
	    step->state == LEDGER_VERIFIED_INCORRECT;

	if (reveal && (!commit || !reveal_fits(reveal, commit)))
		return why_set(why, ERR_STATE,
		    "%s: iteration %u: the seed revealed is not the one "
		    "committed to",
		    step->op, step->iteration);
	if (is_verdict && commit && !reveal)
		return why_set(why, ERR_STATE,
		    "%s: iteration %u: a verdict that does not reveal its seed",
		    step->op, step->iteration);
	return ERR_OK;
}

static enum err
ledger_check(const struct ledger *l, const struct ledger_step *step,
    struct why *why)
{
	unsigned last = ledger_iteration(l, step->op);
	enum ledger_state from = ledger_state(l, step->op);

	if (strlen(step->op) == 0 || strlen(step->op) > LEDGER_OP_MAX)
		return why_set(why, ERR_STATE, "no operator's name: \"%s\"",
		    step->op);
	if (step->state <= LEDGER_NONE || step->state >= LEDGER_NSTATES)
		return why_set(why, ERR_STATE, "%s: no such state", step->op);
	if (step->iteration == last + 1 &&
	    (last == 0 || ledger_has_failed(from)))
		from = LEDGER_NONE;
	else if (step->iteration != last)
		return why_set(why, ERR_STATE,
		    "%s: iteration %u cannot follow iteration %u in state %s",
		    step->op, step->iteration, last, ledger_names[from]);
	if (!ledger_may(from, step->state))
		return why_set(why, ERR_STATE,
		    "%s: iteration %u: no transition from %s to %s", step->op,
		    step->iteration, ledger_names[from],
		    ledger_names[step->state]);
	return check_seed(l, step, why);
}

/* 0: none. */
static size_t
last_slot(const struct ledger *l, const char *op)
{
	return (size_t)json_integer_value(json_object_get(l->last, op));
}

static void
ledger_keep(struct ledger *l, const struct ledger_step *step, json_t *line)
{
	struct ledger_entry *e;

	l->slots = xreallocarray(l->slots, l->n + 1, sizeof *l->slots);
	l->slots[l->n].before = last_slot(l, step->op);
	e = l->slots[l->n++].entry = xmalloc(sizeof *e);
	json_object_set_new(l->last, step->op, json_integer((json_int_t)l->n));
	e->line = json_incref(line);
	e->op = json_string_value(json_object_get(line, "op"));
	e->route = json_string_value(json_object_get(line, "route"));
	e->iteration = step->iteration;
	e->state = step->state;
	json_object_update(l->bound, json_object_get(line, "records"));
}

static enum err
ledger_record(const struct ledger_step *step, json_t **ret, struct why *why)
{
	json_t *line =
	    step->extra ? json_deep_copy(step->extra) : json_object();

	for (size_t i = 0; i < COUNT(ledger_keys); i++)
		if (json_object_get(line, ledger_keys[i])) {
			json_decref(line);
			return why_set(why, ERR_SYNTAX,
			    "a state may not set \"%s\"", ledger_keys[i]);
		}
	json_object_set_new(line, "op", json_string(step->op));
	json_object_set_new(line, "iteration",
	    json_integer((json_int_t)step->iteration));
	json_object_set_new(line, "state",
	    json_string(ledger_names[step->state]));
	/* A route is foreign text: json_string refuses bad UTF-8. */
	if (json_object_set_new(line, "route", json_string(step->route)) != 0)
		json_object_set_new(line, "route", json_string(""));
	*ret = line;
	return ERR_OK;
}

/* What a line tells of records beside its own matter. */
static void
put_unsaid(const struct ledger *l, json_t *line)
{
	if (json_object_size(l->unsaid) > 0)
		json_object_set_new(line, "records", json_copy(l->unsaid));
}

static enum err
append(struct ledger *l, const struct ledger_step *step, struct why *why)
{
	enum ledger_state from = ledger_state(l, step->op);
	json_t *line = NULL;
	enum err e = ledger_check(l, step, why);

	if (e != ERR_OK) {
		log_error("ledger", "refused: %s", why->text);
		return e;
	}
	e = ledger_record(step, &line, why);
	if (e != ERR_OK)
		return e;
	put_unsaid(l, line);
	if (l->journal)
		/* Before it is kept in memory: nobody may act on a step that is
		 * not on disk. */
		e = journal_append(l->journal, line, why);
	if (e == ERR_OK) {
		ledger_keep(l, step, line);
		json_object_clear(l->unsaid);
		l->is_closed = false;
		log_debug(step->op, "iteration %u: %s -> %s", step->iteration,
		    ledger_names[from], ledger_names[step->state]);
	}
	json_decref(line);
	return e;
}

enum err
ledger_append(struct ledger *l, const struct ledger_step *step, struct why *why)
{
	struct why local;
	enum err e;

	(void)pthread_mutex_lock(l->lock);
	e = append(l, step, why ? why : &local);
	(void)pthread_mutex_unlock(l->lock);
	return e;
}

enum err
ledger_end(struct ledger *l, const char *word, struct why *why)
{
	json_t *extra = json_object();
	enum err e = ERR_OK;

	(void)pthread_mutex_lock(l->lock);
	(void)snprintf(l->ended, sizeof l->ended, "%s", word ? word : "");
	put_unsaid(l, extra);
	if (l->journal)
		e = journal_end_with(l->journal, word, extra, why);
	if (e == ERR_OK) {
		json_object_clear(l->unsaid);
		keep_ending(l, l->ended);
	}
	l->is_closed = e == ERR_OK;
	json_decref(extra);
	(void)pthread_mutex_unlock(l->lock);
	return e;
}

bool
ledger_is_closed(const struct ledger *l)
{
	return l->is_closed;
}

void
ledger_bind(struct ledger *l, const char *op, unsigned iteration,
    const char *record_sha256)
{
	char *key = xasprintf("%s/%u", op, iteration);

	(void)pthread_mutex_lock(l->lock);
	json_object_set_new(l->bound, key, json_string(record_sha256));
	json_object_set_new(l->unsaid, key, json_string(record_sha256));
	(void)pthread_mutex_unlock(l->lock);
	free(key);
}

const char *
ledger_bound(const struct ledger *l, const char *op, unsigned iteration)
{
	char *key = xasprintf("%s/%u", op, iteration);
	const char *hash;

	(void)pthread_mutex_lock(l->lock);
	hash = json_string_value(json_object_get(l->bound, key));
	(void)pthread_mutex_unlock(l->lock);
	free(key);
	return hash;
}

const char *
ledger_ended(const struct ledger *l)
{
	return l->ended;
}

const char *
ledger_ended_behind(const struct ledger *l, size_t n)
{
	char lines[24];

	(void)snprintf(lines, sizeof lines, "%zu", n);
	return jlenient_text(l->endings, lines);
}

const char *
ledger_commit(const struct ledger *l, const char *op, unsigned iteration)
{
	const struct ledger_entry *e =
	    ledger_find(l, op, iteration, LEDGER_ATTEMPTED);

	return e ? json_string_value(json_object_get(e->line, "seed_commit"))
	         : NULL;
}

const struct ledger_entry *
ledger_find(const struct ledger *l, const char *op, unsigned iteration,
    enum ledger_state s)
{
	const struct ledger_entry *found = NULL;

	(void)pthread_mutex_lock(l->lock);
	for (size_t i = last_slot(l, op); i > 0 && !found;
	     i = l->slots[i - 1].before)
		if (l->slots[i - 1].entry->iteration == iteration &&
		    l->slots[i - 1].entry->state == s)
			found = l->slots[i - 1].entry;
	(void)pthread_mutex_unlock(l->lock);
	return found;
}

size_t
ledger_count(const struct ledger *l)
{
	return l->n;
}

const struct ledger_entry *
ledger_at(const struct ledger *l, size_t i)
{
	return l->slots[i].entry;
}

static const struct ledger_entry *
ledger_last(const struct ledger *l, const char *op)
{
	const struct ledger_entry *found = NULL;
	size_t i;

	(void)pthread_mutex_lock(l->lock);
	i = last_slot(l, op);
	if (i > 0)
		found = l->slots[i - 1].entry;
	(void)pthread_mutex_unlock(l->lock);
	return found;
}

unsigned
ledger_iteration(const struct ledger *l, const char *op)
{
	const struct ledger_entry *e = ledger_last(l, op);

	return e ? e->iteration : 0;
}

enum ledger_state
ledger_state(const struct ledger *l, const char *op)
{
	const struct ledger_entry *e = ledger_last(l, op);

	return e ? e->state : LEDGER_NONE;
}
