#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;
static void copy(int synced) {
    char link[64], path[4096] = "", target[4200], line[4300];
    const char *watched = getenv("CUT_WATCHED"), *into = getenv("CUT_COPIES");
    char *none[] = {NULL};
    pid_t pid;
    if (!watched || !into) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", synced);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0 || strncmp(path, watched, strlen(watched))) return;
    path[size] = 0;
    pthread_mutex_lock(&lock);
    snprintf(target, sizeof target, "%s/%06d", into, number);
    char *arguments[] = {"cp", "-a", (char *)watched, target, NULL};
    if (!posix_spawn(&pid, "/bin/cp", NULL, NULL, arguments, none)) waitpid(pid, NULL, 0);
    snprintf(link, sizeof link, "%s/log", into);
    int log = open(link, O_WRONLY | O_CREAT | O_APPEND, 0644);
    int length = snprintf(line, sizeof line, "%06d %s\n", number++, path);
    if (write(log, line, length) < 0) abort();
    close(log);
    pthread_mutex_unlock(&lock);
}
int fsync(int file) {
    copy(file);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}
int fdatasync(int file) {
    copy(file);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
