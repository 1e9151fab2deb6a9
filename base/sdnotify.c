/*
 * One datagram to the socket that NOTIFY_SOCKET names, as sd_notify(3) sends
 * it.  It is written out here because libsystemd would be a library more for
 * nine bytes.
 */
#include "base/sdnotify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void
sdnotify_ready(void)
{
	static const char ready[] = "READY=1";
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t n = path ? strlen(path) : 0;
	socklen_t length =
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	int fd;

	if (n < 2 || n >= sizeof to.sun_path || !strchr("/@", path[0]))
		return;
	memcpy(to.sun_path, path, n);
	if (path[0] == '@') /* an abstract name, which has no file */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, ready, sizeof ready - 1, MSG_NOSIGNAL,
	    (const struct sockaddr *)&to, length);
	close(fd);
}
