/* SPDX-License-Identifier: MIT */
#include "cli/page/data.h"
#include <string.h>
#include "cli/page/save.h"

/* Contents of files, embedded by gen/embed.py. */
extern const char page_css[], page_js[], page_dygraphs_css[], page_dygraphs_js[];
extern const size_t page_css_size, page_js_size, page_dygraphs_css_size, page_dygraphs_js_size;

/* The destination of the page; after an error nothing more is written. */
struct page_sink {
  FILE *to;
};

static int write_bytes(const char *bytes, size_t n, void *user)
{
  const struct page_sink *sink = user;
  return fwrite(bytes, 1, n, sink->to) == n ? 0 : -1;
}

/* Writes JSON inside a script element, which "<" could end. */
static int write_escaped(const char *bytes, size_t n, void *user)
{
  while (n) {
    const char *special = memchr(bytes, '<', n);
    const size_t plain = special ? (size_t)(special - bytes) : n;
    if (write_bytes(bytes, plain, user) || (special && write_bytes("\\u003c", 6, user)))
      return -1;
    bytes += plain + (special != NULL);
    n -= plain + (special != NULL);
  }
  return 0;
}

static bool write_text(const struct page_sink *sink, const char *s)
{
  return fputs(s, sink->to) >= 0;
}

/* All scripts are in the page itself, and nothing in it may load anything. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" "
    "content=\"pmon\">\n"
    "<title>pmon report</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n";
static const char body[] = "</style>\n</head>\n<body>\n<main id=\"page\"><noscript>This page needs JavaScript to show "
                           "its data.</noscript></main>\n<script type=\"application/json\" id=\"data\">";

static bool write_page(const struct page_sink *sink, const json_t *data)
{
  void *const user = (void *)(uintptr_t)sink;
  return write_text(sink, head) && !write_bytes(page_dygraphs_css, page_dygraphs_css_size, user) &&
         !write_bytes(page_css, page_css_size, user) && write_text(sink, body) &&
         !json_dump_callback(data, write_escaped, user, JSON_COMPACT | JSON_REAL_PRECISION(9)) &&
         write_text(sink, "</script>\n<script>\n") && !write_bytes(page_dygraphs_js, page_dygraphs_js_size, user) &&
         write_text(sink, "\n</script>\n<script>\n(function () {\n'use strict';\n") &&
         !write_bytes(page_js, page_js_size, user) && write_text(sink, "}());\n</script>\n</body>\n</html>\n");
}

static bool page_to(FILE *to, void *data)
{
  const struct page_sink sink = {to};
  return write_page(&sink, data);
}

int page_check_path(const struct cli *cli, const struct page_request *request, const char *path)
{
  for (uint32_t i = 0; i < request->n_paths; i++)
    if (page_is_same_file(path, request->paths[i]))
      return cli_fail(cli, "%s: this is the recording itself, which would be overwritten; name another file", path);
  return CLI_DONE;
}

int page_write(struct cli *cli, const struct page_request *request, const char *path)
{
  int result = page_check_path(cli, request, path);
  if (result != CLI_DONE)
    return result;
  if (!page_dygraphs_js_size)
    return cli_fail(cli, "--html: this pmon was built without dygraphs, which draws the charts; install "
                         "libjs-dygraphs and build it again");
  json_t *data = page_data(cli, request, &result);
  if (!data)
    return result;
  out_flush(&cli->out);
  result = page_save(cli, path, page_to, data);
  json_decref(data);
  return result;
}
