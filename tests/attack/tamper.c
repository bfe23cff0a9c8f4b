/* SPDX-License-Identifier: MIT */
/* Changes a recording as an attacker would: tamper FILE SQL. */
#include <sqlite3.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  sqlite3 *db = NULL;
  char *text = NULL;
  if (argc != 3) {
    fputs("usage: tamper FILE SQL\n", stderr);
    return 2;
  }
  if (sqlite3_open(argv[1], &db) != SQLITE_OK || sqlite3_exec(db, argv[2], NULL, NULL, &text) != SQLITE_OK) {
    fprintf(stderr, "tamper: %s: %s\n", argv[1], text ? text : "cannot be opened");
    sqlite3_free(text);
    sqlite3_close(db);
    return 1;
  }
  return sqlite3_close(db) != SQLITE_OK;
}
