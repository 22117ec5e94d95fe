/* Lets the n-th call of a kind, on files below a folder, fail: loaded before the C library (LD_PRELOAD) by
   tools/faults.py, so that what Python, SQLite, FAISS and the graph engine do is reached alike.

   fault_arm(folder, kind, n, error, sticky): kinds are open, write, fsync, rename, unlink, truncate, copy, mkdir;
   sticky: every later call of that kind fails too. fault_fired(): how many have failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX], kind[16];
static int left, error_number, sticky, fired;

void fault_arm(const char *where, const char *what, int n, int error, int stay) {
  snprintf(folder, sizeof folder, "%s", where);
  snprintf(kind, sizeof kind, "%s", what);
  left = n, error_number = error, sticky = stay, fired = 0;
}

int fault_fired(void) { return fired; }

static int fails(const char *what, const char *path) {
  if (!folder[0] || strcmp(kind, what) || strncmp(path, folder, strlen(folder))) return 0;
  if (--left > 0 || (left < 0 && !sticky)) return 0;
  fired++;
  errno = error_number;
  return 1;
}

static int fails_on(const char *what, int file) {
  char link[64], path[PATH_MAX];
  if (!folder[0] || strcmp(kind, what)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return fails(what, path);
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define ON_FILE(type, what, name, parameters, arguments) \
  type name parameters { REAL(name); return fails_on(what, file) ? -1 : real arguments; }
#define ON_PATH(what, name, parameters, arguments) \
  int name parameters { REAL(name); return fails(what, path) ? -1 : real arguments; }
#define OPENING(name, before, given)                                                \
  int name(given const char *path, int flags, ...) {                                \
    va_list more; va_start(more, flags); int mode = va_arg(more, int); va_end(more); \
    REAL(name); return fails("open", path) ? -1 : real(before path, flags, mode); }

OPENING(open, , )
OPENING(open64, , )
#define COMMA ,
OPENING(openat, at COMMA, int at COMMA)
OPENING(openat64, at COMMA, int at COMMA)
ON_FILE(ssize_t, "write", write, (int file, const void *from, size_t size), (file, from, size))
ON_FILE(ssize_t, "write", pwrite, (int file, const void *from, size_t size, off_t at), (file, from, size, at))
ON_FILE(ssize_t, "write", pwrite64, (int file, const void *from, size_t size, off64_t at), (file, from, size, at))
ON_FILE(ssize_t, "write", writev, (int file, const struct iovec *from, int count), (file, from, count))
ON_FILE(ssize_t, "write", pwritev, (int file, const struct iovec *from, int count, off_t at), (file, from, count, at))
ON_FILE(int, "fsync", fsync, (int file), (file))
ON_FILE(int, "fsync", fdatasync, (int file), (file))
ON_FILE(int, "truncate", ftruncate, (int file, off_t size), (file, size))
ON_FILE(int, "truncate", ftruncate64, (int file, off64_t size), (file, size))
ON_PATH("truncate", truncate, (const char *path, off_t size), (path, size))
ON_PATH("truncate", truncate64, (const char *path, off64_t size), (path, size))
ON_PATH("rename", rename, (const char *path, const char *to), (path, to))
int renameat(int from, const char *path, int at, const char *to) {
  REAL(renameat);
  return fails("rename", path) ? -1 : real(from, path, at, to);
}
ON_PATH("unlink", unlink, (const char *path), (path))
int unlinkat(int at, const char *path, int flags) {
  REAL(unlinkat);
  return fails("unlink", path) ? -1 : real(at, path, flags);
}
ON_PATH("unlink", remove, (const char *path), (path))
ON_PATH("mkdir", mkdir, (const char *path, mode_t mode), (path, mode))
ssize_t sendfile(int file, int from, off_t *at, size_t size) {
  REAL(sendfile);
  return fails_on("copy", file) ? -1 : real(file, from, at, size);
}
ssize_t sendfile64(int file, int from, off64_t *at, size_t size) {
  REAL(sendfile64);
  return fails_on("copy", file) ? -1 : real(file, from, at, size);
}
ssize_t copy_file_range(int from, off64_t *at, int file, off64_t *to, size_t size, unsigned flags) {
  REAL(copy_file_range);
  return fails_on("copy", file) ? -1 : real(from, at, file, to, size, flags);
}
