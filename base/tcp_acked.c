/*
 * A file of its own because glibc's <netinet/tcp.h>, which others need, has an
 * older struct tcp_info and cannot stand beside the kernel's.
 */
#include "base/tcp_acked.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

#define ESTABLISHED 1 /* TCP_ESTABLISHED, in the header we cannot have */

bool
tcp_acked_read(int fd, struct tcp_acked *ret)
{
	struct tcp_info info;
	socklen_t len = sizeof info;

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 ||
	    len < offsetof(struct tcp_info, tcpi_segs_out))
		return false;
	ret->sent = info.tcpi_bytes_acked;
	ret->received = info.tcpi_bytes_received;
	ret->is_open = info.tcpi_state == ESTABLISHED;
	return true;
}

bool
tcp_acked_is_untouched(int fd, const struct tcp_acked *before)
{
	struct tcp_acked now;

	return tcp_acked_read(fd, &now) && now.sent <= before->sent &&
	    now.received > before->received;
}
