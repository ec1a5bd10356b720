/* Disk calls that fail on demand, below Python: preloaded, so that SQLite and LanceDB fail as well.

   Counts the calls on paths below the watched folders. When one is due, it fails with the given errno, or the
   process is killed in its place. The test process steers it through the faults_* functions at the end. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, CREATE = 2, READ = 4, WRITE = 8, SYNC = 16, NAME = 32, META = 64, STAT = 128, LIST = 256 };
enum { COUNT, ONCE, ON, KILL };

#define MOST_FOLDERS 4
static char folders[MOST_FOLDERS][PATH_MAX];
static int watching;
static atomic_long seen;
static atomic_int fired;
static long due;
static int how, error, counted, failing_on;
static int log_to = -1;

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static long raw(long number, long a, long b, long c, long d, long e, long f) {
    static long (*real)(long, ...);
    if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a, b, c, d, e, f);
}

static int below(const char *path) {
    for (int each = 0; each < watching; each++) {
        size_t length = strlen(folders[each]);
        if (!strncmp(path, folders[each], length) && (path[length] == '/' || !path[length])) return 1;
    }
    return 0;
}

static int path_of(int handle, char *into) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    long length = raw(SYS_readlinkat, AT_FDCWD, (long)link, (long)into, PATH_MAX - 1, 0, 0);
    if (length < 0) return 0;
    into[length] = 0;
    return 1;
}

static int place_of(int folder, const char *path, char *into) {
    if (!path) return 0;
    if (path[0] == '/') {
        snprintf(into, PATH_MAX, "%s", path);
        return 1;
    }
    char base[PATH_MAX];
    if (folder == AT_FDCWD) {
        if (raw(SYS_getcwd, (long)base, sizeof base, 0, 0, 0, 0) < 0) return 0;
    } else if (!path_of(folder, base)) {
        return 0;
    }
    return snprintf(into, PATH_MAX, path[0] ? "%s/%s" : "%s", base, path) > 0;
}

/* Whether this call is to fail; errno is set then. */
static int fails(int kind, const char *name, const char *path) {
    if (!watching || !(kind & (counted | failing_on)) || !below(path)) return 0;
    int saved = errno, hit = 0;
    if (kind & counted) {
        long number = atomic_fetch_add(&seen, 1) + 1;
        if (log_to >= 0) {
            char line[PATH_MAX + 64];
            int length = snprintf(line, sizeof line, "%ld\t%d\t%s\t%s\n", number, kind, name, path);
            raw(SYS_write, log_to, (long)line, length, 0, 0, 0);
        }
        hit = how != COUNT && number == due;
    }
    if (hit) atomic_store(&fired, 1);
    if (!hit && how == ON && atomic_load(&fired) && (kind & failing_on)) hit = 1;
    if (hit && how == KILL) raw(SYS_kill, getpid(), SIGKILL, 0, 0, 0, 0);
    errno = hit ? error : saved;
    return hit;
}

static int fails_at(int kind, const char *name, int folder, const char *path) {
    char place[PATH_MAX];
    return watching && place_of(folder, path, place) && fails(kind, name, place);
}

static int fails_on(int kind, const char *name, int handle) {
    char place[PATH_MAX];
    return watching && handle > 2 && handle != log_to && path_of(handle, place) && fails(kind, name, place);
}

static int opens(int flags) {
    return flags & O_CREAT ? CREATE : flags & (O_WRONLY | O_RDWR | O_TRUNC) ? CREATE : OPEN;
}

#define OPENING(name, shape, call, folder) \
    int name shape { \
        REAL(name); \
        mode_t mode = 0; \
        if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        if (fails_at(opens(flags), #name, folder, path)) return -1; \
        return real call; \
    }
OPENING(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENING(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder)
OPENING(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder)

#define ON_HANDLE(type, name, kind, shape, call) \
    type name shape { \
        REAL(name); \
        if (fails_on(kind, #name, handle)) return -1; \
        return real call; \
    }
ON_HANDLE(ssize_t, read, READ, (int handle, void *data, size_t size), (handle, data, size))
ON_HANDLE(ssize_t, pread, READ, (int handle, void *data, size_t size, off_t at), (handle, data, size, at))
ON_HANDLE(ssize_t, pread64, READ, (int handle, void *data, size_t size, off64_t at), (handle, data, size, at))
ON_HANDLE(ssize_t, readv, READ, (int handle, const struct iovec *parts, int count), (handle, parts, count))
ON_HANDLE(ssize_t, write, WRITE, (int handle, const void *data, size_t size), (handle, data, size))
ON_HANDLE(ssize_t, pwrite, WRITE, (int handle, const void *data, size_t size, off_t at), (handle, data, size, at))
ON_HANDLE(ssize_t, pwrite64, WRITE, (int handle, const void *data, size_t size, off64_t at), (handle, data, size, at))
ON_HANDLE(ssize_t, writev, WRITE, (int handle, const struct iovec *parts, int count), (handle, parts, count))
ON_HANDLE(int, fsync, SYNC, (int handle), (handle))
ON_HANDLE(int, fdatasync, SYNC, (int handle), (handle))
ON_HANDLE(int, ftruncate, META, (int handle, off_t size), (handle, size))
ON_HANDLE(int, ftruncate64, META, (int handle, off64_t size), (handle, size))
ON_HANDLE(int, fchmod, META, (int handle, mode_t mode), (handle, mode))
ON_HANDLE(int, futimens, META, (int handle, const struct timespec times[2]), (handle, times))
ON_HANDLE(int, fstat, STAT, (int handle, struct stat *into), (handle, into))
ON_HANDLE(int, fstat64, STAT, (int handle, struct stat64 *into), (handle, into))

#define ON_PATH(name, kind, folder, path, shape, call) \
    int name shape { \
        REAL(name); \
        if (fails_at(kind, #name, folder, path)) return -1; \
        return real call; \
    }
ON_PATH(unlink, NAME, AT_FDCWD, path, (const char *path), (path))
ON_PATH(unlinkat, NAME, folder, path, (int folder, const char *path, int flags), (folder, path, flags))
ON_PATH(rmdir, NAME, AT_FDCWD, path, (const char *path), (path))
ON_PATH(mkdir, NAME, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_PATH(mkdirat, NAME, folder, path, (int folder, const char *path, mode_t mode), (folder, path, mode))
ON_PATH(rename, NAME, AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(renameat, NAME, there, to, (int here, const char *from, int there, const char *to), (here, from, there, to))
ON_PATH(renameat2, NAME, there, to, (int here, const char *from, int there, const char *to, unsigned flags),
        (here, from, there, to, flags))
ON_PATH(link, NAME, AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(linkat, NAME, there, to, (int here, const char *from, int there, const char *to, int flags),
        (here, from, there, to, flags))
ON_PATH(symlink, NAME, AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(truncate, META, AT_FDCWD, path, (const char *path, off_t size), (path, size))
ON_PATH(truncate64, META, AT_FDCWD, path, (const char *path, off64_t size), (path, size))
ON_PATH(chmod, META, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_PATH(fchmodat, META, folder, path, (int folder, const char *path, mode_t mode, int flags),
        (folder, path, mode, flags))
ON_PATH(utimensat, META, folder, path, (int folder, const char *path, const struct timespec times[2], int flags),
        (folder, path, times, flags))
ON_PATH(stat, STAT, AT_FDCWD, path, (const char *path, struct stat *into), (path, into))
ON_PATH(stat64, STAT, AT_FDCWD, path, (const char *path, struct stat64 *into), (path, into))
ON_PATH(lstat, STAT, AT_FDCWD, path, (const char *path, struct stat *into), (path, into))
ON_PATH(lstat64, STAT, AT_FDCWD, path, (const char *path, struct stat64 *into), (path, into))
ON_PATH(fstatat, STAT, folder, path, (int folder, const char *path, struct stat *into, int flags),
        (folder, path, into, flags))
ON_PATH(fstatat64, STAT, folder, path, (int folder, const char *path, struct stat64 *into, int flags),
        (folder, path, into, flags))
ON_PATH(statx, STAT, folder, path,
        (int folder, const char *path, int flags, unsigned mask, struct statx *into),
        (folder, path, flags, mask, into))

DIR *opendir(const char *path) {
    REAL(opendir);
    return fails_at(LIST, "opendir", AT_FDCWD, path) ? NULL : real(path);
}

DIR *fdopendir(int handle) {
    REAL(fdopendir);
    return fails_on(LIST, "fdopendir", handle) ? NULL : real(handle);
}

struct dirent *readdir(DIR *folder) {
    REAL(readdir);
    return fails_on(LIST, "readdir", dirfd(folder)) ? NULL : real(folder);
}

struct dirent64 *readdir64(DIR *folder) {
    REAL(readdir64);
    return fails_on(LIST, "readdir64", dirfd(folder)) ? NULL : real(folder);
}

/* Calls that the C library has no name for. */
long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
    long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    int stop = 0;
#ifdef SYS_openat2
    if (number == SYS_openat2) stop = fails_at(opens((int)*(uint64_t *)c), "openat2", (int)a, (const char *)b);
#endif
    if (number == SYS_renameat2) stop = fails_at(NAME, "renameat2", (int)c, (const char *)d);
    if (number == SYS_statx) stop = fails_at(STAT, "statx", (int)a, (const char *)b);
    if (number == SYS_copy_file_range) stop = fails_on(WRITE, "copy_file_range", (int)c);
    return stop ? -1 : raw(number, a, b, c, d, e, f);
}

/* ---- for the test process */

void faults_watch(const char *folder) {
    if (watching < MOST_FOLDERS) snprintf(folders[watching++], PATH_MAX, "%s", folder);
}

void faults_arm(long number, int mode, int code, int kinds, int kinds_on, int log) {
    due = number;
    how = mode;
    error = code;
    counted = kinds;
    failing_on = kinds_on;
    log_to = log;
    atomic_store(&seen, 0);
    atomic_store(&fired, 0);
}

long faults_seen(void) {
    return atomic_load(&seen);
}

int faults_fired(void) {
    return atomic_load(&fired);
}
