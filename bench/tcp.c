/*
 * bench-tcp's command line, and dialling.
 */
#include "bench/tcp.h"

#include "base/opts.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define OFF(m) offsetof(struct tcp_options, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "count",      OPT_INT,    OFF(count),    1, 1000000,   "N",    "Connections; 1000." },
	{ "delay-ms",   OPT_INT,    OFF(delay_ms), 0, 60000,     "MS",   "The delay that is set; 100." },
	{ "pid",        OPT_INT,    OFF(pid),      1, INT32_MAX, "PID",  "The process to measure." },
	{ "ready-file", OPT_STRING, OFF(ready),    0, 0,         "FILE", "Write the ready line there too." },
};
/* clang-format on */

static const struct opt_command command = { "bench-tcp",
	"serve | probe HOST:PORT | delayed HOST:PORT | held HOST:PORT",
	"Bytes through a TCP proxy, and what that costs.", rows, COUNT(rows), 1,
	2, NULL };

static const struct {
	const char *name;
	enum exit_code (
	    *run)(const struct tcp_options *o, const struct addr *to);
} clients[] = {
	{ "delayed", tcp_delayed },
	{ "held", tcp_held },
	{ "probe", tcp_probe },
};

int
tcp_dial(const struct addr *to)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_port = htons(to->port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	inet_pton(AF_INET, to->host, &sin.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sin, sizeof sin) < 0) {
		perror("bench-tcp: connect");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

static enum exit_code
usage(const char *text)
{
	fprintf(stderr, "bench-tcp: %s\n", text);
	return EXIT_USAGE;
}

static enum exit_code
run(int argc, char **argv)
{
	struct tcp_options o = { .count = 1000, .delay_ms = 100 };
	const char *words[2] = { NULL, NULL };
	struct rlimit files;
	struct addr to;
	struct why why;
	size_t n;
	enum err e;

	e = opts_parse(&command, argc, argv, &o, words, &n, &why);
	if (e == ERR_STATE)
		return EXIT_DONE;
	if (e != ERR_OK)
		return usage(why.text);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	if (strcmp(words[0], "serve") == 0)
		return tcp_serve(&o);
	if (n < 2 || addr_parse(words[1], &to, &why) != ERR_OK)
		return usage("expected HOST:PORT");
	for (size_t i = 0; i < COUNT(clients); i++)
		if (strcmp(words[0], clients[i].name) == 0)
			return clients[i].run(&o, &to);
	return usage("expected serve, probe, delayed or held");
}

int
main(int argc, char **argv)
{
	return (int)run(argc, argv);
}
