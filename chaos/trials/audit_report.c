/*
 * The audit as a table for people, as JUnit XML for a build, as JSON for
 * whoever wants the times of every request.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/columns.h"
#include "base/files.h"
#include "base/mem.h"
#include "chaos/trials/audit.h"

#define REPORT_MAX     ((size_t)64 << 20)
#define NAME_WIDTH     38
#define LINE_MAX_BYTES 2048
#define HEAD_MAX       (CONDUCT_EVIDENCE_MAX + 64)

static const char *const verdict_names[AUDIT_NVERDICTS] = {
	[AUDIT_OK] = "ok",
	[AUDIT_BROKEN] = "BROKEN",
	[AUDIT_NOT_REACHED] = "-",
	[AUDIT_NOT_RUN] = "-",
};

static const char *const verdict_words[AUDIT_NVERDICTS] = {
	[AUDIT_OK] = "ok",
	[AUDIT_BROKEN] = "broken",
	[AUDIT_NOT_REACHED] = "not_reached",
	[AUDIT_NOT_RUN] = "not_run",
};

/* How bad, before a finding. */
static const char *const stars[] = { "", "* ", "** ", "*** " };

static const struct {
	const char *word, *text;
} handlings[AUDIT_NHANDLINGS] = {
	[AUDIT_UNTOLD] = { NULL, "" },
	[AUDIT_RAISED] = { "raised", "raised: " },
	[AUDIT_EXPOSED] = { "exposed", "exposed by its finish reason: " },
	[AUDIT_HIDDEN] = { "hidden", "hidden: " },
	[AUDIT_RECOVERED] = { "recovered", "recovered: " },
};

const char *
audit_verdict_word(enum audit_verdict v)
{
	return verdict_words[v];
}

void
audit_row_name(const struct audit *a, const struct audit_row *row, char *out,
    size_t size)
{
	char label[AUDIT_ID_MAX];

	if (row->crash_at) {
		audit_crash_label(row->crash_at, label);
		snprintf(out, size, "%s", label);
	} else if (row->of)
		snprintf(out, size, "%s: %s%s%s%s", row->of->fault,
		    row->of->name, row->timeout_ms ? ", a time-out set" : "",
		    row->check ? ", " : "", row->check ? row->check : "");
	else
		snprintf(out, size, "%s",
		    row == &a->jitter ? "all: first waits" : "no fault");
}

/* ---- the table */

/* A row's first two cells, and its evidence in the width that is left. */
static void __attribute__((format(printf, 5, 6))) put_line(FILE *out,
    const char *name, const char *verdict, int indent, const char *fmt, ...)
{
	char text[LINE_MAX_BYTES], head[HEAD_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	snprintf(head, sizeof head, "%-*s  %-6s  %*s", NAME_WIDTH, name,
	    verdict, indent, "");
	columns_put_row(head, NAME_WIDTH + 10 + indent, text, out);
}

static void
print_row(const struct audit *a, const struct audit_row *row, FILE *out)
{
	char name[CONDUCT_EVIDENCE_MAX];

	audit_row_name(a, row, name, sizeof name);
	put_line(out, name, verdict_names[row->verdict], 0, "%s%s",
	    row->verdict == AUDIT_NOT_REACHED   ? "not reached: "
	        : row->verdict == AUDIT_NOT_RUN ? "not run: "
	        : row->nbroken                  ? stars[audit_severity(row)]
	                                        : handlings[row->handling].text,
	    row->nbroken ? row->broken[0].rule->title : row->summary);
	for (size_t i = 0; i < row->nbroken; i++) {
		if (i > 0)
			put_line(out, "", "", 0, "%s",
			    row->broken[i].rule->title);
		put_line(out, "", "", 2, "%s", row->broken[i].evidence);
	}
	if (!row->nbroken || row == &a->jitter)
		return;
	put_line(out, "", "", 2, "(%s)", row->summary);
	if (row->words[0])
		put_line(out, "", "", 2, "last words: %s", row->words);
}

void
audit_print(const struct audit *a, FILE *out)
{
	fprintf(out, "%-*s  %-6s  %s\n", NAME_WIDTH, "fault", "conduct",
	    "evidence");
	for (size_t i = 0; i < a->nrows; i++)
		print_row(a, &a->rows[i], out);
	print_row(a, &a->jitter, out);
	fprintf(out, "\n%zu ok, %zu broken, %zu not reached",
	    a->counts[AUDIT_OK], a->counts[AUDIT_BROKEN],
	    a->counts[AUDIT_NOT_REACHED]);
	if (a->interrupted_by)
		fprintf(out, ", %zu not run: interrupted",
		    a->counts[AUDIT_NOT_RUN]);
	fputc('\n', out);
}

/* ---- JUnit */

static void
add_xml(struct buf *b, const char *text)
{
	static const struct {
		char c;
		const char *entity;
	} entities[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" },
		{ '"', "&quot;" } };

	for (; *text; text++) {
		const char *entity = NULL;

		for (size_t i = 0; i < COUNT(entities); i++)
			if (entities[i].c == *text)
				entity = entities[i].entity;
		if (entity)
			buf_adds(b, entity);
		/* XML 1.0 has no way to write most control characters
		 * (2.2). */
		else if ((unsigned char)*text >= ' ')
			buf_addc(b, *text);
	}
}

static void
add_failures(struct buf *b, const struct audit_row *row)
{
	for (size_t i = 0; i < row->nbroken; i++) {
		buf_adds(b, "    <failure type=\"");
		add_xml(b, row->broken[i].rule->name);
		buf_adds(b, "\" message=\"");
		add_xml(b, row->broken[i].rule->title);
		buf_adds(b, "\">");
		add_xml(b, row->broken[i].evidence);
		buf_adds(b, "</failure>\n");
	}
}

static void
add_case(struct buf *b, const struct audit *a, const struct audit_row *row)
{
	char name[CONDUCT_EVIDENCE_MAX];

	audit_row_name(a, row, name, sizeof name);
	buf_adds(b, "  <testcase classname=\"kf-chaos.audit\" name=\"");
	add_xml(b, name);
	buf_addf(b, "\" time=\"%.3f\">\n", (double)row->took_ms / 1e3);
	add_failures(b, row);
	if (row->verdict == AUDIT_NOT_REACHED) {
		buf_adds(b, "    <skipped message=\"not reached: ");
		add_xml(b, row->summary);
		buf_adds(b, "\"/>\n");
	}
	if (row->verdict == AUDIT_NOT_RUN)
		buf_addf(b, "    <error message=\"not run: %s\"/>\n",
		    row->summary);
	buf_adds(b, "  </testcase>\n");
}

enum err
audit_write_junit(const struct audit *a, const char *path, struct why *why)
{
	struct buf b;
	enum err e;

	buf_init(&b, REPORT_MAX);
	buf_addf(&b,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuite name=\"kf-chaos audit\" tests=\"%zu\" "
	    "failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
	    a->nrows + 1, a->counts[AUDIT_BROKEN], a->counts[AUDIT_NOT_RUN],
	    a->counts[AUDIT_NOT_REACHED]);
	for (size_t i = 0; i < a->nrows; i++)
		add_case(&b, a, &a->rows[i]);
	add_case(&b, a, &a->jitter);
	buf_adds(&b, "</testsuite>\n");
	e = files_write(path, b.data, b.len, why);
	buf_done(&b);
	return e;
}

/* ---- JSON */

static void
add_quoted(struct buf *b, const char *word)
{
	buf_adds(b, " '");
	for (const char *p = word; *p; p++)
		if (*p == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *p);
	buf_addc(b, '\'');
}

/* The command that runs this case alone, quoted for a shell. */
static char *
repro_of(const struct audit_conf *c, const char *id, const char *check)
{
	struct buf b;
	char *text;

	buf_init(&b, REPORT_MAX);
	buf_addf(&b, "kf-chaos audit --case %s --seed %s", id, c->seed);
	if (c->upstream || c->answers) {
		buf_adds(&b, c->upstream ? " --upstream" : " --answers");
		add_quoted(&b, c->upstream ? c->upstream : c->answers);
	}
	if (c->deadline_ms != AUDIT_DEADLINE_MS)
		buf_addf(&b, " --deadline %u", c->deadline_ms / 1000);
	if (c->timeout_ms)
		buf_addf(&b, " --timeout %u", c->timeout_ms / 1000);
	if (check)
		buf_addf(&b, " --check %s", check);
	if (c->warm_up) {
		buf_adds(&b, " --warm-up");
		add_quoted(&b, c->warm_up);
	}
	if (c->tool_calls)
		buf_addf(&b, " --tool-calls %zu", c->tool_calls);
	if (c->turn)
		buf_addf(&b, " --turn %lld", (long long)c->turn);
	if (c->turns_max != AUDIT_TURNS_MAX)
		buf_addf(&b, " --turns-max %zu", c->turns_max);
	if (c->mcp != AUDIT_NO_MCP)
		buf_addf(&b, " --mcp %s", audit_mcp_names[c->mcp]);
	if (c->resumes)
		buf_adds(&b, " --resume");
	if (c->state) {
		buf_adds(&b, " --state");
		add_quoted(&b, c->state);
	}
	buf_adds(&b, " --");
	for (char *const *arg = c->command; *arg; arg++)
		add_quoted(&b, *arg);
	text = xstrdup(b.data);
	buf_done(&b);
	return text;
}

static void
add_id(const struct audit *a, const struct audit_row *row, json_t *v)
{
	char id[AUDIT_ID_MAX], *repro;

	if (row->crash_at)
		audit_crash_id(row->crash_at, id);
	else
		audit_case_id(row->of, id);
	repro = repro_of(a->conf, id, row->check);
	json_object_set_new(v, "id", json_string(id));
	json_object_set_new(v, "repro", json_string(repro));
	free(repro);
}

static json_t *
row_json(const struct audit *a, const struct audit_row *row)
{
	json_t *broken = json_array(), *v;
	char name[CONDUCT_EVIDENCE_MAX];

	audit_row_name(a, row, name, sizeof name);
	for (size_t i = 0; i < row->nbroken; i++)
		json_array_append_new(broken,
		    json_pack("{ss si ss ss ss*}", "rule",
		        row->broken[i].rule->name, "severity",
		        row->broken[i].rule->severity, "title",
		        row->broken[i].rule->title, "evidence",
		        row->broken[i].evidence, "norm",
		        row->broken[i].rule->norm));
	v = json_pack("{ss ss ss so si si sb sI}", "case", name, "verdict",
	    verdict_words[row->verdict], "summary", row->summary, "broken",
	    broken, "exit", row->exit_code, "signal", row->signal, "killed",
	    row->was_killed, "took_ms", (json_int_t)row->took_ms);
	json_object_set_new(v, "start_ms",
	    json_integer((json_int_t)row->start_ms));
	if (row->check)
		json_object_set_new(v, "check", json_string(row->check));
	json_object_set_new(v, "severity", json_integer(audit_severity(row)));
	json_object_set_new(v, "last_words", json_string(row->words));
	if (row->timeout_ms)
		json_object_set_new(v, "timeout_ms",
		    json_integer(row->timeout_ms));
	if (handlings[row->handling].word)
		json_object_set_new(v, "handling",
		    json_string(handlings[row->handling].word));
	if (row->outcome)
		json_object_set(v, "outcome", row->outcome);
	if (row->effects)
		json_object_set(v, "effects", row->effects);
	if (row->of || row->crash_at)
		add_id(a, row, v);
	if (row->of) {
		json_object_set_new(v, "fault", json_string(row->of->fault));
		json_object_set_new(v, "attributes",
		    json_loads(row->of->attributes, 0, NULL));
		json_object_set_new(v, "right", json_string(row->of->right));
	}
	if (row->requests)
		json_object_set(v, "requests", row->requests);
	return v;
}

enum err
audit_write_json(const struct audit *a, const char *path, struct why *why)
{
	json_t *cases = json_array(), *command = json_array(), *v;
	char *text;
	enum err e;

	for (char *const *arg = a->conf->command; *arg; arg++)
		json_array_append_new(command, json_string(*arg));
	for (size_t i = 0; i < a->nrows; i++)
		json_array_append_new(cases, row_json(a, &a->rows[i]));
	json_array_append_new(cases, row_json(a, &a->jitter));
	v = json_pack("{si ss so ss sI sb so}", "kf_chaos_audit", 2, "version",
	    opts_version(), "command", command, "seed", a->conf->seed,
	    "deadline_ms", (json_int_t)a->conf->deadline_ms, "ok",
	    a->counts[AUDIT_BROKEN] == 0 && !a->interrupted_by, "cases", cases);
	if (a->interrupted_by)
		json_object_set_new(v, "interrupted_by",
		    json_integer(a->interrupted_by));
	if (a->conf->warm_up)
		json_object_set_new(v, "warm_up",
		    json_string(a->conf->warm_up));
	text = json_dumps(v, JSON_INDENT(2) | JSON_SORT_KEYS);
	e = text
	    ? files_write(path, text, strlen(text), why)
	    : why_set(why, ERR_SYNTAX, "%s: an argument is not UTF-8", path);
	free(text);
	json_decref(v);
	return e;
}
