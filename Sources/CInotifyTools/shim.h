// <inotifytools/inotifytools.h> uses the types of <sys/inotify.h> without including it.
#include <sys/inotify.h>
#include <inotifytools/inotifytools.h>

// What the watcher needs besides, and Swift's Glibc module leaves out: statfs(2), to tell where
// inotify says nothing, and the name of a thread, which glibc declares under _GNU_SOURCE alone.
#include <pthread.h>
#include <sys/statfs.h>
int pthread_setname_np(pthread_t thread, const char *name);
