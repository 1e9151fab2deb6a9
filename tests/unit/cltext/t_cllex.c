#include "cltext/cllex.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

/* Tokens as "KIND:TEXT" with single blanks between. */
static void
dump(const char *source, char *out, size_t size)
{
	static const char kinds[] = "INSCPM#O";
	struct cllex l;
	size_t n = 0;

	cllex_init(&l, source, strlen(source));
	out[0] = '\0';
	for (size_t i = 0; i < l.ntoks && n < size; i++) {
		struct slice s = cllex_text(&l, i);

		n += (size_t)snprintf(out + n, size - n, "%s%s%c:" SLICE_FMT,
		    i ? " " : "", l.toks[i].in_directive ? "~" : "",
		    kinds[l.toks[i].kind], SLICE_ARG(s));
	}
	cllex_done(&l);
}

void
t_cllex(void)
{
	static const struct {
		const char *what, *source, *want;
	} rows[] = {
		/* clang-format off */
		{ "nothing", "", "" },
		{ "blanks", " \t\n", "" },
		{ "words and numbers", "a1 = 0x1.8p-3f+1e+5;", "I:a1 P:= N:0x1.8p-3f P:+ N:1e+5 P:;" },
		{ "minus after a name", "d-1", "I:d P:- N:1" },
		{ "long operators first", "a<<=b>>c->d", "I:a P:<<= I:b P:>> I:c P:-> I:d" },
		{ "a comment is a token", "a//x\nb/*y*/c", "I:a M://x I:b M:/*y*/ I:c" },
		{ "an open comment ends the text", "a/*b", "I:a M:/*b" },
		{ "a slash-star-slash is open", "/*/", "M:/*/" },
		{ "strings keep quotes", "\"a\\\"b//\" 'c'", "S:\"a\\\"b//\" C:'c'" },
		{ "an open string ends with its line", "\"ab\nc", "S:\"ab I:c" },
		{ "a directive marks its line", "#include <x>\ny", "~#:# ~I:include ~P:< ~I:x ~P:> I:y" },
		{ "a comment may open a directive", "/*c*/ # define A 1\nb", "M:/*c*/ ~#:# ~I:define ~I:A ~N:1 I:b" },
		{ "a hash inside a line is none", "a # b", "I:a P:# I:b" },
		{ "digraphs", "%:include <:0:>", "~#:# ~I:include ~P:[ ~N:0 ~P:]" },
		{ "trigraphs", "?\?=include ?\?(", "~#:# ~I:include ~P:[" },
		{ "a split word", "inc\\\nlude", "I:include" },
		{ "a word split by a trigraph", "inc?\?/\nlude", "I:include" },
		{ "a split with blanks", "#\\ \n include", "~#:# ~I:include" },
		{ "a directive goes on after a split", "#define A \\\n b\nc", "~#:# ~I:define ~I:A ~I:b I:c" },
		{ "token pasting", "a##b", "I:a P:## I:b" },
		{ "odd bytes", "@`", "O:@ O:`" },
		/* clang-format on */
	};
	char got[512];

	for (size_t i = 0; i < COUNT(rows); i++) {
		dump(rows[i].source, got, sizeof got);
		CHECK_STR(got, rows[i].want, rows[i].what);
	}
	struct cllex l;
	const char *split = "a\nin\\\nt b?\?(";

	cllex_init(&l, split, strlen(split));
	CHECK_INT(l.ntoks, 4, "spans");
	CHECK_INT(l.toks[1].at, 2, "a split word begins where it begins");
	CHECK_INT(l.toks[1].len, 5, "its raw span has the split");
	CHECK_INT(l.toks[1].line, 2, "its line is where it begins");
	CHECK_INT(l.toks[2].line, 3, "a split counts as a line");
	CHECK_INT(l.toks[3].len, 3, "a trigraph spans three bytes");
	CHECK_INT(cllex_next(&l, SIZE_MAX), 0, "the first code token");
	CHECK_INT(cllex_next(&l, 3), 4, "past the last");
	cllex_done(&l);
}
