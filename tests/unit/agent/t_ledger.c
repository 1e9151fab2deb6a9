/* The ledger moves forward only, and its file proves it. */
#include "agent/ledger/ledger.h"
#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

#define A LEDGER_ATTEMPTED
#define G LEDGER_GENERATED
#define C LEDGER_COMPILED
#define S LEDGER_SMOKE_PASSED
#define V LEDGER_VERIFIED_CORRECT
#define I LEDGER_VERIFIED_INCORRECT
#define P LEDGER_PERF_MEASURED
#define X LEDGER_ABANDONED

/* Every pair of states, against the law written out once more. */
static void
check_table(void)
{
	static const char *const law[LEDGER_NSTATES] = {
		[LEDGER_NONE] = "A",
		[A] = "GX",
		[G] = "CX",
		[C] = "SX",
		[S] = "VIX",
		[V] = "P",
		[I] = "",
		[P] = "",
		[X] = "",
	};
	static const char letters[] = "-AGCSVIPX";

	for (int from = 0; from < LEDGER_NSTATES; from++)
		for (int to = 0; to < LEDGER_NSTATES; to++)
			CHECK_INT(ledger_may((enum ledger_state)from,
			              (enum ledger_state)to),
			    strchr(law[from], letters[to]) != NULL,
			    ledger_state_name((enum ledger_state)from));
}

static void
check_sequences(void)
{
	static const struct {
		const char *what;
		struct {
			unsigned iteration;
			enum ledger_state state;
		} steps[8];
		size_t n;
		enum err last;
	} rows[] = {
		{ "the whole way",
		    { { 1, A }, { 1, G }, { 1, C }, { 1, S }, { 1, V },
		        { 1, P } },
		    6, ERR_OK },
		{ "a second try after a failure",
		    { { 1, A }, { 1, X }, { 2, A } }, 3, ERR_OK },
		{ "a second try after wrong",
		    { { 1, A }, { 1, G }, { 1, C }, { 1, S }, { 1, I },
		        { 2, A } },
		    6, ERR_OK },
		{ "a second try while one is open", { { 1, A }, { 2, A } }, 2,
		    ERR_STATE },
		{ "a second try after success",
		    { { 1, A }, { 1, G }, { 1, C }, { 1, S }, { 1, V },
		        { 2, A } },
		    6, ERR_STATE },
		{ "starting at two", { { 2, A } }, 1, ERR_STATE },
		{ "skipping a try", { { 1, A }, { 1, X }, { 3, A } }, 3,
		    ERR_STATE },
		{ "going back", { { 1, A }, { 1, G }, { 1, A } }, 3,
		    ERR_STATE },
		{ "a claim without smoke",
		    { { 1, A }, { 1, G }, { 1, C }, { 1, V } }, 4, ERR_STATE },
		{ "a claim out of nothing", { { 1, V } }, 1, ERR_STATE },
		{ "wrong becomes right",
		    { { 1, A }, { 1, G }, { 1, C }, { 1, S }, { 1, I },
		        { 1, V } },
		    6, ERR_STATE },
		{ "abandoned becomes right", { { 1, A }, { 1, X }, { 1, V } },
		    3, ERR_STATE },
		{ "an old try again",
		    { { 1, A }, { 1, X }, { 2, A }, { 1, G } }, 4, ERR_STATE },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ledger *l = ledger_new();
		enum err e = ERR_OK;

		for (size_t k = 0; k < rows[i].n; k++) {
			struct ledger_step step = { "rope",
				rows[i].steps[k].iteration,
				rows[i].steps[k].state, "", NULL };
			size_t before = ledger_count(l);

			e = ledger_append(l, &step, NULL);
			CHECK_INT(ledger_count(l) - before, e == ERR_OK,
			    rows[i].what);
		}
		CHECK_INT(e, rows[i].last, rows[i].what);
		ledger_free(l);
	}
}

static void
write_some(const char *path)
{
	static const enum ledger_state states[] = { A, G, C, S, V };
	struct ledger *l = NULL;
	struct why why = { "" };

	CHECK_INT(ledger_open(path, &l, NULL, &why), ERR_OK, why.text);
	if (!l)
		return;
	for (size_t i = 0; i < COUNT(states); i++) {
		struct ledger_step step = { "rope", 1, states[i], "r", NULL };

		CHECK_INT(ledger_append(l, &step, &why), ERR_OK, why.text);
	}
	ledger_free(l);
}

/* What an attacker or a crash does to the file, and what is said. */
static void
check_file(void)
{
	char *path = files_join(unit_tmpdir(), "ledger.jsonl");
	char *text = NULL, *copy, *word;
	struct ledger *l = NULL;
	struct why why = { "" };
	size_t len = 0, cut = 0;

	write_some(path);
	CHECK_INT(ledger_read(path, &l, &why), ERR_OK, why.text);
	CHECK_INT(l ? ledger_count(l) : 0, 5, "five lines back");
	ledger_free(l);
	CHECK_INT(files_read(path, 1 << 20, &text, &len, &why), ERR_OK,
	    why.text);

	copy = xstrdup(text);
	word = strstr(copy, "compiled");
	if (word)
		*word = 'C';
	files_write(path, copy, len, &why);
	CHECK_INT(ledger_read(path, &l, &why), ERR_SYNTAX, "an edited line");
	free(copy);

	copy = strchr(text, '\n') + 1;
	files_write(path, copy, strlen(copy), &why);
	CHECK_INT(ledger_read(path, &l, &why), ERR_SYNTAX, "a removed line");

	files_write(path, text, len - 10, &why);
	CHECK_INT(ledger_read(path, &l, &why), ERR_SYNTAX, "a torn line");
	CHECK_INT(ledger_open(path, &l, &cut, &why), ERR_OK, why.text);
	CHECK(cut > 10, "the torn line was cut");
	CHECK_INT(ledger_state(l, "rope"), S, "the one before it stays");
	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "rope", 1, V, "r", NULL }, &why),
	    ERR_OK, "and the run goes on");
	ledger_free(l);
	CHECK_INT(ledger_read(path, &l, &why), ERR_OK, why.text);
	ledger_free(l);
	free(text);
	free(path);
}

static void
check_extra(void)
{
	struct ledger *l = ledger_new();
	json_t *bad = json_pack("{s:s}", "state", "verified_correct");
	json_t *good = json_pack("{s:s}", "class", "wrong");

	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "rope", 1, A, "", bad }, NULL),
	    ERR_SYNTAX, "extra may not set the state");
	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "rope", 1, A, "", good }, NULL),
	    ERR_OK, "extra may add facts");
	json_decref(bad);
	json_decref(good);
	ledger_free(l);
}

/* What came behind an attempt's last line is told by whatever line is next,
 * the closing one at last, and read back. */
static void
check_bound(void)
{
	char *path = files_join(unit_tmpdir(), "bound.jsonl");
	json_t *extra = json_pack("{s:{}}", "records");
	struct ledger *l = NULL;
	struct why why = { "" };

	CHECK_INT(ledger_open(path, &l, NULL, &why), ERR_OK, why.text);
	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "rope", 1, A, "", extra }, NULL),
	    ERR_SYNTAX, "a state may not say it");
	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "rope", 1, A, "", NULL }, NULL),
	    ERR_OK, "rope");
	ledger_bind(l, "rope", 1, "first");
	ledger_bind(l, "rope", 1, "second");
	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "silu", 1, A, "", NULL }, NULL),
	    ERR_OK, "silu");
	CHECK_STR(json_string_value(
	              json_object_get(json_object_get(ledger_at(l, 1)->line,
	                                  "records"),
	                  "rope/1")),
	    "second", "another operator's line tells it");
	ledger_bind(l, "silu", 1, "third");
	CHECK_INT(ledger_end(l, NULL, &why), ERR_OK, why.text);
	CHECK_INT(ledger_end(l, NULL, &why), ERR_OK, why.text);
	ledger_free(l);

	l = NULL;
	CHECK_INT(ledger_open(path, &l, NULL, &why), ERR_OK, why.text);
	CHECK(ledger_is_closed(l), "it was closed");
	CHECK_STR(ledger_bound(l, "rope", 1), "second", "of a line");
	CHECK_STR(ledger_bound(l, "silu", 1), "third", "of the closing line");
	CHECK(!ledger_bound(l, "silu", 2), "of no line");
	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "silu", 1, X, "", NULL }, NULL),
	    ERR_OK, "gone on with");
	CHECK(!ledger_is_closed(l), "it is open again");
	CHECK(!json_object_get(ledger_at(l, 2)->line, "records"),
	    "what was told is not told again");
	ledger_free(l);
	json_decref(extra);
	free(path);
}

/* SHA-256 of 64 zero bytes. */
#define ZERO_COMMIT                                                            \
	"f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

/* A revealed seed is the committed one, and a verdict reveals it. */
static void
check_seeds(void)
{
	static const struct {
		const char *what, *commit, *reveal;
		enum ledger_state end;
		enum err want;
	} rows[] = {
		{ "the one committed to", ZERO_COMMIT, ZEROS ZEROS, V, ERR_OK },
		{ "another one", ZERO_COMMIT,
		    "1" ZEROS
		    "000000000000000000000000000000000000000000000000000000000"
		    "000000",
		    V, ERR_STATE },
		{ "too short", ZERO_COMMIT, ZEROS, V, ERR_STATE },
		{ "no digits", ZERO_COMMIT, "x" ZEROS, V, ERR_STATE },
		{ "none with a claim", ZERO_COMMIT, NULL, V, ERR_STATE },
		{ "none with a refutation", ZERO_COMMIT, NULL, I, ERR_STATE },
		{ "none with a failure", ZERO_COMMIT, NULL, X, ERR_OK },
		{ "another one with a failure", ZERO_COMMIT, ZEROS, X,
		    ERR_STATE },
		{ "never committed", NULL, ZEROS ZEROS, V, ERR_STATE },
	};
	static const enum ledger_state walk[] = { A, G, C, S };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ledger *l = ledger_new();
		json_t *commit = json_object(), *reveal = json_object();
		struct ledger_step step = { "rope", 1, rows[i].end, "r",
			reveal };

		if (rows[i].commit)
			json_object_set_new(commit, "seed_commit",
			    json_string(rows[i].commit));
		if (rows[i].reveal)
			json_object_set_new(reveal, "seed_reveal",
			    json_string(rows[i].reveal));
		for (size_t k = 0; k < COUNT(walk); k++) {
			struct ledger_step to = { "rope", 1, walk[k], "r",
				walk[k] == A ? commit : NULL };

			CHECK_INT(ledger_append(l, &to, NULL), ERR_OK,
			    rows[i].what);
		}
		CHECK_INT(ledger_append(l, &step, NULL), rows[i].want,
		    rows[i].what);
		json_decref(commit);
		json_decref(reveal);
		ledger_free(l);
	}
}

void
t_ledger(void)
{
	check_seeds();
	check_table();
	check_sequences();
	check_extra();
	check_bound();
	check_file();
}
