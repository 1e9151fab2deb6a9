/* Command lines by table. */
#include "tests/unit.h"

#include "base/opts.h"
#include <string.h>

struct conf {
	bool json;
	const char *out;
	int64_t seed;
	struct opt_list up;
};

static const struct opt rows[] = {
	/* clang-format off */
	{ "json", OPT_FLAG,   offsetof(struct conf, json), 0, 0, NULL,   "Print JSON." },
	{ "out",  OPT_STRING, offsetof(struct conf, out),  0, 0, "DIR",  "Where to." },
	{ "seed", OPT_INT,    offsetof(struct conf, seed), 0, 99, "N",   "Seed." },
	{ "up",   OPT_LIST,   offsetof(struct conf, up),   0, 0, "A=B",  "Upstream." },
	/* clang-format on */
};

static const struct opt_command cmd = { "prog", "FILE", "About.", rows, 4, 1, 2,
	"prog a\tdoes a" };

static const struct {
	const char *what;
	const char *argv[8];
	enum err want;
	const char *reason;
} lines[] = {
	/* clang-format off */
	{ "a word", { "f" }, ERR_OK, "" },
	{ "two words and all options", { "--json", "--out=d", "f", "--seed", "7", "g" }, ERR_OK, "" },
	{ "list", { "--up", "a", "--up=b", "f" }, ERR_OK, "" },
	{ "a dash is a word", { "-" }, ERR_OK, "" },
	{ "after -- all are words", { "--", "--json" }, ERR_OK, "" },
	{ "missing word", { "--json" }, ERR_SYNTAX, "expected FILE (see prog --help)" },
	{ "too many words", { "a", "b", "c" }, ERR_SYNTAX, "unexpected word \"c\" (see prog --help)" },
	{ "unknown", { "--nope", "f" }, ERR_SYNTAX, "unknown option --nope (see prog --help)" },
	{ "short", { "-x", "f" }, ERR_SYNTAX, "unknown option -x (see prog --help)" },
	{ "no value", { "f", "--out" }, ERR_SYNTAX, "--out needs a value, DIR" },
	{ "flag with value", { "f", "--json=1" }, ERR_SYNTAX, "--json takes no value" },
	{ "not a number", { "f", "--seed", "x" }, ERR_SYNTAX, "--seed: found \"x\", expected a number from 0 to 99" },
	{ "out of range", { "f", "--seed", "100" }, ERR_SYNTAX, "--seed: found \"100\", expected a number from 0 to 99" },
	/* clang-format on */
};

static const struct {
	const char *what, *argv[8], *want;
} given[] = {
	/* clang-format off */
	{ "not given", { "f" }, NULL },
	{ "two words", { "--out", "d", "f" }, "d" },
	{ "one word", { "f", "--out=d" }, "d" },
	{ "the last one", { "--out=d", "--out", "e" }, "e" },
	{ "behind a fault", { "--seed", "x", "--nope", "--out", "d" }, "d" },
	{ "behind too many words", { "a", "b", "c", "--out", "d" }, "d" },
	{ "another option's value", { "--up", "--out", "d" }, NULL },
	{ "behind --", { "--", "--out", "d" }, NULL },
	{ "without a value", { "f", "--out" }, NULL },
	/* clang-format on */
};

static void
check_given(void)
{
	char prog[] = "prog";

	for (size_t i = 0; i < COUNT(given); i++) {
		char text[8][16], *argv[9] = { prog };
		const char *found;
		int argc = 1;

		for (; argc < 8 && given[i].argv[argc - 1]; argc++) {
			snprintf(text[argc], sizeof text[argc], "%s",
			    given[i].argv[argc - 1]);
			argv[argc] = text[argc];
		}
		found = opts_value(&cmd, argc, argv, "out");
		CHECK_STR(found ? found : "none",
		    given[i].want ? given[i].want : "none", given[i].what);
	}
}

void
t_opts(void)
{
	check_given();
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct conf conf = { .seed = -1 };
		const char *args[2];
		char text[8][16], *argv[9] = { text[0] };
		struct why why = { "" };
		size_t nargs = 0;
		int argc = 1;

		snprintf(text[0], sizeof text[0], "prog");
		for (; argc < 8 && lines[i].argv[argc - 1]; argc++) {
			snprintf(text[argc], sizeof text[argc], "%s",
			    lines[i].argv[argc - 1]);
			argv[argc] = text[argc];
		}
		CHECK_INT(opts_parse(&cmd, argc, argv, &conf, args, &nargs,
		              &why),
		    lines[i].want, lines[i].what);
		CHECK_STR(why.text, lines[i].reason, lines[i].what);
	}
}
