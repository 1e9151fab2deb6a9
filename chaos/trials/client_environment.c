/*
 * Called between fork and exec, where nothing else runs: setenv(3) harms
 * nobody there.
 */
#include "chaos/trials/client_environment.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/mem.h"
#include "base/units.h"

static void
set_url(const char *name, const char *address, const char *suffix)
{
	char *url = xasprintf("http://%s%s", address, suffix);

	setenv(name, url, 1);
	free(url);
}

/* Where the official clients of each API look for their server. */
static const struct {
	const char *name, *suffix;
} url_names[] = {
	{ "ANTHROPIC_BASE_URL", "" },
	{ "GOOGLE_GEMINI_BASE_URL", "" },
	{ "KF_CHAOS_URL", "" },
	{ "OLLAMA_HOST", "" },
	{ "OPENAI_API_BASE", "/v1" },
	{ "OPENAI_BASE_URL", "/v1" },
	{ "TFY_GATEWAY_BASE_URL", "" },
};

static const char *const key_names[] = { "ANTHROPIC_API_KEY", "GEMINI_API_KEY",
	"OPENAI_API_KEY" };

void
client_environment_set(void *arg)
{
	const struct client_environment *e = arg;

	for (size_t i = 0; i < e->ndoors; i++) {
		char *name = xasprintf("KF_CHAOS_URL_%s", e->doors[i].name);

		set_url(name, e->doors[i].at, "");
		free(name);
	}
	for (size_t i = 0; i < COUNT(url_names); i++)
		set_url(url_names[i].name, e->doors[e->main].at,
		    url_names[i].suffix);
	/* Never over one that is there: an upstream may be real and want it. */
	for (size_t i = 0; i < COUNT(key_names); i++)
		setenv(key_names[i], "local", 0);
	if (e->timeout_ms) {
		char *ms = xasprintf("%u", e->timeout_ms);

		setenv("KF_CHAOS_TIMEOUT_MS", ms, 1);
		free(ms);
	}
	if (e->check)
		setenv("KF_CHAOS_CHECK", e->check, 1);
	set_url("KF_CHAOS_MCP_URL", e->doors[e->main].at, "/mcp");
	setenv("KF_CHAOS_MCP_COMMAND", e->server, 1);
	setenv("KF_CHAOS_RUN", e->run, 1);
	setenv("KF_CHAOS_DIR", e->folder, 1);
	if (e->is_resumed)
		setenv("KF_CHAOS_RESUMED", "1", 1);
}

enum err
client_environment_write_server(const struct client_environment *e,
    struct why *why)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *text;
	enum err r;

	if (n < 0)
		return why_set(why, ERR_ENV, "/proc/self/exe: %s",
		    strerror(errno));
	self[n] = '\0';
	text = xasprintf("#!/bin/sh\nexec \"%s\" mcp --connect %s\n", self,
	    e->doors[e->main].at);
	r = files_write(e->server, text, strlen(text), why);
	free(text);
	if (r == ERR_OK && chmod(e->server, 0755) != 0)
		r = why_set(why, ERR_IO, "%s: %s", e->server, strerror(errno));
	return r;
}
