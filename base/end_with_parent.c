/*
 * The parent may be gone before the kernel is asked to tell of it, and who
 * adopts us then is anybody (a container's process 1 may as well be the
 * script itself): so the id is compared with the one that was said.
 */
#include "base/end_with_parent.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

void
end_with_parent(int64_t pid, int signal)
{
	if (pid == 0)
		return;
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != pid)
		raise(signal);
}
