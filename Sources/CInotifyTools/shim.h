// <inotifytools/inotifytools.h> uses the types of <sys/inotify.h> without including it.
#include <sys/inotify.h>
#include <inotifytools/inotifytools.h>
