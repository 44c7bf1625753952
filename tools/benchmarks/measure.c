// Runs a command and writes to descriptor 3 what it took: measure COMMAND ARGUMENT…
//
// A small process of its own: the memory of whoever starts a process counts as that process's, and a
// large one takes long to start another.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

int main(int count, char **arguments) {
  struct timespec start, end;
  struct rusage usage;
  int status;
  if (count < 2) return 64;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pid_t child = fork();
  if (child == 0) {
    close(3);
    execv(arguments[1], arguments + 1);
    perror(arguments[1]);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 71;
  clock_gettime(CLOCK_MONOTONIC, &end);
  dprintf(3, "{\"seconds\":%.6f,\"processor\":%.6f,\"megabytes\":%.2f,\"exit\":%d}\n",
          end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9,
          seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss / 1024.0,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
