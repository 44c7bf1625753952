// What SQLite can do at all: the same rows by prepared statements, with nothing around them.
//
//   limit fold DB FOLDER        folds all files in memory, sorts, and writes each row once
//   limit upsert DB FOLDER      writes in the order of arrival
//   limit one DB FILE           one more file into a database that is there
//   limit inserts DB FILE SIZE  rows that nothing supersedes, SIZE records a transaction
//   limit get DB DOCUMENT       the rows of one document
//   limit local DB COUNT FOLDER durable transactions of five rows; a file in FOLDER for each, or "-"
//   limit list FOLDER           reads the names in the folders in it
//
// WAL and synchronous=FULL everywhere; imports end with a checkpoint. A file is a run of records:
// u64 stamp, u16 count, then for each operation u16 length and id, u16 field, u8 type and value
// (0: i64, 1: u32 length and text, 2: double, 3: nothing, the field is taken away). There is no
// checksum, no compression and no bookkeeping: a floor.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  const uint8_t *id, *text;
  uint64_t stamp;
  union { int64_t whole; double real; } number;
  uint32_t length;
  uint16_t idLength, field;
  uint8_t type;
} Cell;

static sqlite3 *db;

static void fail(const char *what) {
  fprintf(stderr, "limit: %s: %s\n", what, db ? sqlite3_errmsg(db) : "");
  exit(1);
}

static void run(const char *sql) {
  if (sqlite3_exec(db, sql, 0, 0, 0) != SQLITE_OK) fail(sql);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) != SQLITE_OK) fail(sql);
  return statement;
}

static void openDatabase(const char *path) {
  if (sqlite3_open(path, &db) != SQLITE_OK) fail(path);
  run("PRAGMA journal_mode=WAL");
  run("PRAGMA synchronous=FULL");
  run("PRAGMA cache_size=-65536");
  run("CREATE TABLE IF NOT EXISTS cells(id TEXT NOT NULL, field INTEGER NOT NULL,"
      " stamp INTEGER NOT NULL, value, PRIMARY KEY(id, field)) WITHOUT ROWID");
}

static sqlite3_stmt *prepareUpsert(void) {
  return prepare("INSERT INTO cells VALUES(?1, ?2, ?3, ?4) ON CONFLICT(id, field) DO UPDATE SET"
                 " stamp = excluded.stamp, value = excluded.value WHERE excluded.stamp > stamp");
}

static void put(sqlite3_stmt *statement, const Cell *cell) {
  sqlite3_bind_text(statement, 1, (const char *)cell->id, cell->idLength, SQLITE_STATIC);
  sqlite3_bind_int(statement, 2, cell->field);
  sqlite3_bind_int64(statement, 3, (int64_t)cell->stamp);
  switch (cell->type) {
  case 0: sqlite3_bind_int64(statement, 4, cell->number.whole); break;
  case 1: sqlite3_bind_text(statement, 4, (const char *)cell->text, cell->length, SQLITE_STATIC); break;
  case 2: sqlite3_bind_double(statement, 4, cell->number.real); break;
  default: sqlite3_bind_null(statement, 4);
  }
  if (sqlite3_step(statement) != SQLITE_DONE) fail("step");
  sqlite3_reset(statement);
}

// What is done with each operation of a file, and at the end of each record.
typedef void (*Taker)(const Cell *);
static void nothing(void) {}
static void (*recordEnds)(void) = nothing;

static void take(const uint8_t *bytes, size_t count, Taker taker) {
  const uint8_t *end = bytes + count;
#define READ(value) memcpy(&(value), bytes, sizeof(value)), bytes += sizeof(value)
  while (bytes < end) {
    Cell cell;
    uint16_t operations;
    READ(cell.stamp);
    READ(operations);
    while (operations--) {
      READ(cell.idLength);
      cell.id = bytes;
      bytes += cell.idLength;
      READ(cell.field);
      READ(cell.type);
      if (cell.type == 0 || cell.type == 2) READ(cell.number);
      if (cell.type == 1) {
        READ(cell.length);
        cell.text = bytes;
        bytes += cell.length;
      }
      taker(&cell);
    }
    recordEnds();
  }
}

static uint8_t *readFile(const char *path, size_t *count) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status)) fail(path);
  uint8_t *bytes = malloc(status.st_size + 1);
  for (*count = 0; *count < (size_t)status.st_size;) {
    ssize_t got = read(file, bytes + *count, status.st_size - *count);
    if (got <= 0) fail(path);
    *count += got;
  }
  close(file);
  return bytes;
}

static int byName(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }

static size_t list(const char *path, char ***names) {
  DIR *folder = opendir(path);
  size_t count = 0, room = 1024;
  if (!folder) fail(path);
  *names = malloc(room * sizeof **names);
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    if (count == room) *names = realloc(*names, (room *= 2) * sizeof **names);
    (*names)[count++] = strdup(entry->d_name);
  }
  closedir(folder);
  qsort(*names, count, sizeof **names, byName);
  return count;
}

// The fold: an open hash table of the newest operation of each cell.
static Cell *table;
static size_t room, used;

static uint64_t hashOf(const Cell *cell) {
  uint64_t hash = 14695981039346656037u ^ cell->field, word;
  const uint8_t *bytes = cell->id;
  int rest = cell->idLength;
  for (; rest >= 8; rest -= 8, bytes += 8) {
    memcpy(&word, bytes, 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  word = 0;
  memcpy(&word, bytes, rest);
  hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 32;
}

static int isSame(const Cell *a, const Cell *b) {
  return a->field == b->field && a->idLength == b->idLength && !memcmp(a->id, b->id, a->idLength);
}

static Cell *placeOf(const Cell *cell) {
  size_t place = hashOf(cell) & (room - 1);
  while (table[place].id && !isSame(&table[place], cell)) place = (place + 1) & (room - 1);
  return &table[place];
}

static void fold(const Cell *cell) {
  if (used * 2 >= room) {
    Cell *old = table;
    size_t count = room;
    room = room ? room * 2 : 1 << 16;
    table = calloc(room, sizeof *table);
    for (size_t i = 0; i < count; i++) if (old[i].id) *placeOf(&old[i]) = old[i];
    free(old);
  }
  Cell *place = placeOf(cell);
  if (!place->id) used++;
  if (!place->id || cell->stamp > place->stamp) *place = *cell;
}

static int byKey(const void *first, const void *second) {
  const Cell *a = first, *b = second;
  int shorter = a->idLength < b->idLength ? a->idLength : b->idLength;
  int order = memcmp(a->id, b->id, shorter);
  if (order) return order;
  return a->idLength != b->idLength ? a->idLength - b->idLength : a->field - b->field;
}

static sqlite3_stmt *statement;
static void putNow(const Cell *cell) { put(statement, cell); }

static void import(const char *path, const char *folder, int isFolding) {
  char **names, file[4096];
  size_t count = list(folder, &names);
  openDatabase(path);
  statement = prepareUpsert();
  run("BEGIN IMMEDIATE");
  for (size_t i = 0, length; i < count; i++) {
    snprintf(file, sizeof file, "%s/%s", folder, names[i]);
    uint8_t *bytes = readFile(file, &length);
    take(bytes, length, isFolding ? fold : putNow);
    if (!isFolding) free(bytes);
  }
  if (isFolding) {
    size_t next = 0;
    for (size_t i = 0; i < room; i++) if (table[i].id) table[next++] = table[i];
    qsort(table, next, sizeof *table, byKey);
    for (size_t i = 0; i < next; i++) put(statement, &table[i]);
  }
  run("COMMIT");
  sqlite3_finalize(statement);
  run("PRAGMA wal_checkpoint(TRUNCATE)");
}

static int recordsPerTransaction, recordsOpen;
static void commitSome(void) {
  if (++recordsOpen < recordsPerTransaction) return;
  run("COMMIT");
  run("BEGIN IMMEDIATE");
  recordsOpen = 0;
}

static void takeFile(const char *path, const char *file, int size) {
  size_t length;
  openDatabase(path);
  uint8_t *bytes = readFile(file, &length);
  statement = prepareUpsert();
  if (size) {
    recordsPerTransaction = size;
    recordEnds = commitSome;
  }
  run("BEGIN IMMEDIATE");
  take(bytes, length, putNow);
  run("COMMIT");
  sqlite3_finalize(statement);
}

static void publish(const char *folder, int number, const char *bytes, size_t count) {
  char temporary[4096], name[4096];
  snprintf(temporary, sizeof temporary, "%s/.%d", folder, number);
  snprintf(name, sizeof name, "%s/%08d.log", folder, number);
  int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 || write(file, bytes, count) != (ssize_t)count || fsync(file)) fail(temporary);
  close(file);
  if (rename(temporary, name)) fail(name);
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || fsync(directory)) fail(folder);
  close(directory);
}

static void local(const char *path, int count, const char *folder) {
  static const char text[] = "Some title of about sixty characters in length for the item";
  char id[128], content[2048];
  struct timespec start, end;
  openDatabase(path);
  statement = prepareUpsert();
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int number = 0; number < count; number++) {
    size_t bytes = 0;
    int length = snprintf(id, sizeof id, "https://example.com/local/%d", number);
    run("BEGIN IMMEDIATE");
    for (int field = 0; field < 5; field++) {
      Cell cell = {.id = (uint8_t *)id, .idLength = length, .field = field, .stamp = number + 1,
                   .type = field == 1, .number.whole = number, .text = (uint8_t *)text,
                   .length = sizeof text - 1};
      put(statement, &cell);
      memcpy(content + bytes, id, length);
      memcpy(content + bytes + length, text, sizeof text - 1);
      bytes += length + (field == 1 ? sizeof text - 1 : 12);
    }
    run("COMMIT");
    if (strcmp(folder, "-")) publish(folder, number, content, bytes);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  sqlite3_finalize(statement);
  printf("{\"transactions\":%d,\"seconds\":%.6f}\n", count,
         end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9);
}

static void get(const char *path, const char *id) {
  if (sqlite3_open(path, &db) != SQLITE_OK) fail(path);
  statement = prepare("SELECT field, value FROM cells WHERE id = ?1 AND value IS NOT NULL");
  sqlite3_bind_text(statement, 1, id, -1, SQLITE_STATIC);
  while (sqlite3_step(statement) == SQLITE_ROW)
    printf("%d\t%s\n", sqlite3_column_int(statement, 0), sqlite3_column_text(statement, 1));
  sqlite3_finalize(statement);
}

static void listFolders(const char *path) {
  char **folders, **names, folder[4096];
  size_t count = list(path, &folders), total = 0;
  for (size_t i = 0; i < count; i++) {
    snprintf(folder, sizeof folder, "%s/%s", path, folders[i]);
    total += list(folder, &names);
  }
  printf("%zu\n", total);
}

int main(int count, char **arguments) {
  const char *what = count > 2 ? arguments[1] : "";
  if (!strcmp(what, "fold") && count == 4) import(arguments[2], arguments[3], 1);
  else if (!strcmp(what, "upsert") && count == 4) import(arguments[2], arguments[3], 0);
  else if (!strcmp(what, "one") && count == 4) takeFile(arguments[2], arguments[3], 0);
  else if (!strcmp(what, "inserts") && count == 5) takeFile(arguments[2], arguments[3], atoi(arguments[4]));
  else if (!strcmp(what, "get") && count == 4) get(arguments[2], arguments[3]);
  else if (!strcmp(what, "local") && count == 5) local(arguments[2], atoi(arguments[3]), arguments[4]);
  else if (!strcmp(what, "list") && count == 3) listFolders(arguments[2]);
  else return 64;
  if (db && sqlite3_close(db) != SQLITE_OK) fail("close");
  return 0;
}
