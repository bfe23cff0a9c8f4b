/* SPDX-License-Identifier: MIT */
#include "cli/page/data.h"
#include <string.h>
#include "cli/page/save.h"

/* Contents of files, embedded by gen/embed.py. */
extern const char page_css[], page_js[], page_dygraphs_css[], page_dygraphs_js[];
extern const size_t page_css_size, page_js_size, page_dygraphs_css_size, page_dygraphs_js_size;

/* For json_dump_callback(): `to` is a FILE. */
static int write_bytes(const char *bytes, size_t n, void *to)
{
  return fwrite(bytes, 1, n, to) == n ? 0 : -1;
}

/* Writes JSON inside a script element, which "<" could end. */
static int write_escaped(const char *bytes, size_t n, void *to)
{
  while (n) {
    const char *special = memchr(bytes, '<', n);
    const size_t plain = special ? (size_t)(special - bytes) : n;
    if (write_bytes(bytes, plain, to) || (special && write_bytes("\\u003c", 6, to)))
      return -1;
    bytes += plain + (special != NULL);
    n -= plain + (special != NULL);
  }
  return 0;
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

static bool page_to(FILE *to, void *data)
{
  return fputs(head, to) >= 0 && !write_bytes(page_dygraphs_css, page_dygraphs_css_size, to) &&
         !write_bytes(page_css, page_css_size, to) && fputs(body, to) >= 0 &&
         !json_dump_callback(data, write_escaped, to, JSON_COMPACT | JSON_REAL_PRECISION(9)) &&
         fputs("</script>\n<script>\n", to) >= 0 && !write_bytes(page_dygraphs_js, page_dygraphs_js_size, to) &&
         fputs("\n</script>\n<script>\n(function () {\n'use strict';\n", to) >= 0 &&
         !write_bytes(page_js, page_js_size, to) && fputs("}());\n</script>\n</body>\n</html>\n", to) >= 0;
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
