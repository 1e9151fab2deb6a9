/*
 * The table of options as a page for people: --help on a terminal, --man for
 * man(1).  Both walk the rows that the parser walks, so neither can tell of
 * an option that is not there.
 */
#include "base/opts.h"

#include "base/columns.h"
#include <string.h>

#define HELP_COLUMN 26
#define WIDTH_MIN   40
#define WIDTH_MAX   120 /* longer lines are hard to read */

static const struct opt built_in[] = {
	{ .name = "help", .type = OPT_FLAG, .help = "Print this and exit." },
	{ .name = "version",
	    .type = OPT_FLAG,
	    .help = "Print the version and exit." },
};

static int
width_of(FILE *out)
{
	int width = columns_given(out);

	if (width < WIDTH_MIN)
		return WIDTH_MIN;
	return width > WIDTH_MAX ? WIDTH_MAX : width;
}

/* Text from column `at` on, wrapped at words, its further lines at `indent`. */
static void
put_wrapped(const char *text, int at, int indent, int width, FILE *out)
{
	size_t n = strcspn(text, " \n"), next;

	at += fprintf(out, "%.*s", (int)n, text);
	for (text += n; *text; text += n) {
		bool is_end = *text++ == '\n';

		next = strcspn(text, " \n");
		if (is_end || (at + 1 + (int)next > width && *text))
			at = fprintf(out, "\n%*s", indent, "") - 1;
		else
			at += fprintf(out, " ");
		n = next;
		at += fprintf(out, "%.*s", (int)n, text);
	}
	fputc('\n', out);
}

static const char *
value_of(const struct opt *o)
{
	if (o->type == OPT_FLAG)
		return NULL;
	return o->value ? o->value : "VALUE";
}

/* A command to be pasted: where a line of it ends, the shell is told that it
 * goes on. */
static void
put_command(const char *text, size_t n, int width, FILE *out)
{
	int at = fprintf(out, "  ");

	for (size_t i = 0, end; i < n; i = end + 1) {
		const char *space = memchr(text + i, ' ', n - i);
		int rest;

		end = space ? (size_t)(space - text) : n;
		rest = at + (int)(end - i) + (end < n ? 2 : 0);
		if (i > 0 && rest + 1 > width)
			at = fprintf(out, " \\\n%*s", 6, "") - 3;
		else if (i > 0)
			at += fprintf(out, " ");
		at += fprintf(out, "%.*s", (int)(end - i), text + i);
	}
	fputc('\n', out);
}

/* Head and text side by side, or one above the other where it is narrow. */
static void
put_row(const char *head, int n, const char *text, int width, FILE *out)
{
	int indent = width < 2 * HELP_COLUMN ? 6 : HELP_COLUMN;

	if (n >= indent) {
		fputs("  ", out);
		put_wrapped(head + 2, 2, 6, width, out);
		n = 0;
	} else
		fputs(head, out);
	fprintf(out, "%*s", indent - n, "");
	put_wrapped(text, indent, indent, width, out);
}

static void
help_row(const struct opt *o, int width, FILE *out)
{
	const char *value = value_of(o);
	char head[128];
	int n = snprintf(head, sizeof head, "  --%s%s%s", o->name,
	    value ? " " : "", value ? value : "");

	put_row(head, n, o->help, width, out);
}

/* The first sentence of a text says what a list needs. */
static size_t
first_sentence(const char *about)
{
	size_t n = strlen(about);
	const char *dot = strstr(about, ". "), *end = strstr(about, ".\n");

	if (dot)
		n = (size_t)(dot - about);
	if (end && (size_t)(end - about) < n)
		n = (size_t)(end - about);
	return n > 0 && about[n - 1] == '.' ? n - 1 : n;
}

void
opts_print_text(const char *text, FILE *out)
{
	put_wrapped(text, 0, 0, width_of(out), out);
}

void
opts_print_row(const char *name, const char *usage, const char *about,
    FILE *out)
{
	char head[128], text[512];
	int n = snprintf(head, sizeof head, "  %s%s%s", name, *usage ? " " : "",
	    usage);

	snprintf(text, sizeof text, "%.*s", (int)first_sentence(about), about);
	for (char *p = text; *p; p++)
		if (*p == '\n')
			*p = ' ';
	put_row(head, n, text, width_of(out), out);
}

static void
put_usage(const struct opt_command *cmd, int width, FILE *out)
{
	char text[512];

	snprintf(text, sizeof text, "usage: %s [options]%s%s", cmd->name,
	    *cmd->usage ? " " : "", cmd->usage);
	put_wrapped(text, 0, 7, width, out);
	fputc('\n', out);
}

/* What an example does, below it. */
static void
put_example_words(const char *words, size_t n, int width, FILE *out)
{
	char text[512];

	if (n == 0)
		return;
	snprintf(text, sizeof text, "%.*s", (int)n, words);
	fputs("      ", out);
	put_wrapped(text, 6, 6, width, out);
}

void
opts_print_help(const struct opt_command *cmd, FILE *out)
{
	int width = width_of(out);

	put_usage(cmd, width, out);
	put_wrapped(cmd->about, 0, 0, width, out);
	fputs("\noptions:\n", out);
	for (size_t i = 0; i < cmd->nrows; i++)
		help_row(&cmd->rows[i], width, out);
	for (size_t i = 0; i < COUNT(built_in); i++)
		help_row(&built_in[i], width, out);
	if (!cmd->examples)
		return;
	fputs("\nexamples:\n", out);
	for (const char *p = cmd->examples; *p; p += *p == '\n') {
		size_t command = strcspn(p, "\t\n"), n;

		put_command(p, command, width, out);
		p += command + (p[command] == '\t');
		n = strcspn(p, "\n");
		put_example_words(p, n, width, out);
		p += n;
	}
}

/* roff reads backslashes, hyphens and a dot or quote at a line's start. */
static void
put_roff(const char *text, size_t n, FILE *out)
{
	bool is_start = true;

	for (size_t i = 0; i < n; i++) {
		if (is_start && (text[i] == '.' || text[i] == '\''))
			fputs("\\&", out);
		is_start = text[i] == '\n';
		if (text[i] == '\\')
			fputs("\\e", out);
		else if (text[i] == '-')
			fputs("\\-", out);
		else
			fputc(text[i], out);
	}
}

/* "kernelforge verify" has the page kernelforge-verify. */
static void
put_page_name(const char *name, FILE *out)
{
	for (; *name; name++)
		if (*name == '-' || *name == ' ')
			fputs("\\-", out);
		else
			fputc(*name, out);
}

static void
man_row(const struct opt *o, FILE *out)
{
	const char *value = value_of(o);

	fputs(".TP\n\\fB\\-\\-", out);
	put_roff(o->name, strlen(o->name), out);
	fputs("\\fR", out);
	if (value) {
		fputs(" \\fI", out);
		put_roff(value, strlen(value), out);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	put_roff(o->help, strlen(o->help), out);
	fputc('\n', out);
}

static void
man_examples(const char *examples, FILE *out)
{
	fputs(".SH EXAMPLES\n", out);
	for (const char *p = examples; *p; p += *p == '\n') {
		size_t command = strcspn(p, "\t\n"), n;

		fputs(".TP\n\\fB", out);
		put_roff(p, command, out);
		fputs("\\fR\n", out);
		p += command + (p[command] == '\t');
		n = strcspn(p, "\n");
		put_roff(p, n, out);
		fputc('\n', out);
		p += n;
	}
}

void
opts_print_man(const struct opt_command *cmd, FILE *out)
{
	fputs(".TH \"", out);
	put_page_name(cmd->name, out);
	fprintf(out, "\" 1 \"\" \"KernelForge %s\"\n.SH NAME\n",
	    opts_version());
	put_page_name(cmd->name, out);
	fputs(" \\- ", out);
	for (size_t i = 0; i < first_sentence(cmd->about); i++)
		if (cmd->about[i] == '\n')
			fputc(' ', out);
		else
			put_roff(cmd->about + i, 1, out);
	fputs("\n.SH SYNOPSIS\n\\fB", out);
	put_roff(cmd->name, strlen(cmd->name), out);
	fputs("\\fR [\\fIoptions\\fR] ", out);
	put_roff(cmd->usage, strlen(cmd->usage), out);
	fputs("\n.SH DESCRIPTION\n", out);
	put_roff(cmd->about, strlen(cmd->about), out);
	fputs("\n.SH OPTIONS\n", out);
	for (size_t i = 0; i < cmd->nrows; i++)
		man_row(&cmd->rows[i], out);
	for (size_t i = 0; i < COUNT(built_in); i++)
		man_row(&built_in[i], out);
	if (cmd->examples)
		man_examples(cmd->examples, out);
	fputs(".SH EXIT STATUS\n0 done, 1 refused or failed by judgement, 2 "
	      "usage or bad input, 3 environment.\n",
	    out);
}
