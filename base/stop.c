/*
 * One flag.  A second signal while the first is being obeyed ends the
 * process as it would have without us: who asks twice means it.
 */
#include "base/stop.h"

#include "base/units.h"
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define STOP_LOOK_MS 50

static volatile sig_atomic_t stop_signal;

static const struct {
	int number;
	const char *name;
} stop_signals[] = {
	{ SIGINT, "SIGINT" },
	{ SIGTERM, "SIGTERM" },
	{ SIGHUP, "SIGHUP" },
};

#define NSIGNALS COUNT(stop_signals)

static void
on_signal(int number)
{
	stop_signal = number;
}

void
stop_install(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof sa);
	sa.sa_handler = on_signal;
	sa.sa_flags = SA_RESTART | (int)SA_RESETHAND;
	for (size_t i = 0; i < NSIGNALS; i++)
		(void)sigaction(stop_signals[i].number, &sa, NULL);
}

const char *
stop_asked(void)
{
	for (size_t i = 0; i < NSIGNALS; i++)
		if (stop_signal == stop_signals[i].number)
			return stop_signals[i].name;
	return NULL;
}

void
stop_sleep(uint32_t ms)
{
	while (ms > 0 && !stop_asked()) {
		uint32_t step = ms < STOP_LOOK_MS ? ms : STOP_LOOK_MS;

		(void)nanosleep(&(struct timespec){ .tv_nsec =
		                                        step * 1000000L },
		    NULL);
		ms -= step;
	}
}
