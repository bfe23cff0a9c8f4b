/* SPDX-License-Identifier: MIT */
#include "cli/exporter/settings.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

enum { MOST_BYTES = 128 << 10, MOST_ITEMS = 10000, MOST_DEPTH = 16 };

/* libyaml's functions; loaded once, never unloaded. */
static struct {
  __typeof__(yaml_parser_initialize) *parser_initialize;
  __typeof__(yaml_parser_delete) *parser_delete;
  __typeof__(yaml_parser_set_input_file) *parser_set_input_file;
  __typeof__(yaml_parser_load) *parser_load;
  __typeof__(yaml_parser_parse) *parser_parse;
  __typeof__(yaml_event_delete) *event_delete;
  __typeof__(yaml_document_delete) *document_delete;
  __typeof__(yaml_document_get_node) *document_get_node;
  __typeof__(yaml_document_get_root_node) *document_get_root_node;
} yaml;

static bool yaml_load_library(struct cli *cli)
{
  void *const library = dlopen("libyaml-0.so.2", RTLD_NOW | RTLD_LOCAL);
  const struct {
    const char *name;
    void **function;
  } wanted[] = {{"yaml_parser_initialize", (void **)&yaml.parser_initialize},
                {"yaml_parser_delete", (void **)&yaml.parser_delete},
                {"yaml_parser_set_input_file", (void **)&yaml.parser_set_input_file},
                {"yaml_parser_load", (void **)&yaml.parser_load},
                {"yaml_parser_parse", (void **)&yaml.parser_parse},
                {"yaml_event_delete", (void **)&yaml.event_delete},
                {"yaml_document_delete", (void **)&yaml.document_delete},
                {"yaml_document_get_node", (void **)&yaml.document_get_node},
                {"yaml_document_get_root_node", (void **)&yaml.document_get_root_node}};
  bool good = library != NULL;
  for (size_t i = 0; good && i < sizeof wanted / sizeof *wanted; i++)
    good = (*wanted[i].function = dlsym(library, wanted[i].name)) != NULL;
  if (!good)
    cli_fail(cli, "configuration files need libyaml (Debian: libyaml-0-2): %s", dlerror());
  return good;
}

struct settings_reader {
  struct cli *cli;
  const struct setting_rule *rules;
  yaml_document_t *document;
  struct settings *to;
};

static int settings_fail(const struct settings_reader *r, const yaml_mark_t *mark, const char *problem,
                         const char *object)
{
  return cli_fail(r->cli, "%s:%zu:%zu: %s%s%s%s", r->to->path, mark->line + 1, mark->column + 1, problem,
                  object ? " \"" : "", object ? object : "", object ? "\"" : "");
}

/* NULL: not a scalar, or one with a zero byte. */
static const char *scalar_text(const yaml_node_t *node)
{
  if (node->type != YAML_SCALAR_NODE)
    return NULL;
  const char *text = (const char *)node->data.scalar.value;
  return strlen(text) == node->data.scalar.length ? text : NULL;
}

static int settings_add(struct settings_reader *r, uint32_t rule, const char *key, const yaml_node_t *node)
{
  struct settings *to = r->to;
  const char *text = scalar_text(node);
  if (!text)
    return settings_fail(r, &node->start_mark, "expected a string for", key);
  if (to->n == MOST_ITEMS)
    return settings_fail(r, &node->start_mark, "too many values", NULL);
  struct setting *grown = realloc(to->items, (to->n + 1) * sizeof *grown);
  if (!grown)
    return cli_fail_memory(r->cli);
  to->items = grown;
  struct setting *s = &to->items[to->n++];
  *s = (struct setting){.rule = rule,
                        .key = strdup(key),
                        .text = strdup(text),
                        .line = (unsigned)node->start_mark.line + 1,
                        .column = (unsigned)node->start_mark.column + 1};
  return s->key && s->text ? CLI_DONE : cli_fail_memory(r->cli);
}

/* Whether a rule, by its name, is for a key in a section ("": none). `SECTION.*` is for all of the section's keys. */
static bool rule_is_for(const char *name, const char *section, const char *key)
{
  const size_t n = strlen(section);
  if (!n)
    return !strcmp(name, key);
  return !strncmp(name, section, n) && name[n] == '.' && (!strcmp(name + n + 1, key) || !strcmp(name + n + 1, "*"));
}

/* Returns the rule for a key; UINT32_MAX: none. */
static uint32_t rule_find(const struct setting_rule *rules, const char *section, const char *key)
{
  for (uint32_t i = 0; rules[i].key; i++)
    if (rule_is_for(rules[i].key, section, key))
      return i;
  return UINT32_MAX;
}

/* Whether a rule is for a key in the section. */
static bool section_is_known(const struct setting_rule *rules, const char *section)
{
  const size_t n = strlen(section);
  for (uint32_t i = 0; rules[i].key; i++)
    if (!strncmp(rules[i].key, section, n) && rules[i].key[n] == '.')
      return true;
  return false;
}

/* Fails because no rule has the key, with the keys of its section. */
static int settings_fail_key(const struct settings_reader *r, const char *section, const yaml_node_t *node)
{
  char known[512];
  size_t n = 0, shown = 0;
  for (const struct setting_rule *rule = r->rules; rule->key && n < sizeof known; rule++) {
    const char *name = rule->key, *dot = strchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : strlen(name);
    if (*section && (!dot || length != strlen(section) || strncmp(name, section, length)))
      continue;
    if (!*section && rule > r->rules && dot && !strncmp(rule[-1].key, name, length + 1))
      continue; /* the section is listed already */
    name = *section ? dot + 1 : name;
    n += (size_t)snprintf(known + n, sizeof known - n, "%s%.*s", shown++ ? ", " : "",
                          *section ? (int)strlen(name) : (int)length, name);
  }
  return cli_fail(r->cli, "%s:%zu:%zu: unknown key \"%s\"; expected %s", r->to->path, node->start_mark.line + 1,
                  node->start_mark.column + 1, scalar_text(node), known);
}

static int settings_read_value(struct settings_reader *r, uint32_t rule, const char *key, const yaml_node_t *node)
{
  if (!r->rules[rule].list)
    return settings_add(r, rule, key, node);
  if (node->type != YAML_SEQUENCE_NODE)
    return settings_fail(r, &node->start_mark, "expected a list for", key);
  int result = CLI_DONE;
  const yaml_node_item_t *i = node->data.sequence.items.start;
  for (; result == CLI_DONE && i < node->data.sequence.items.top; i++)
    result = settings_add(r, rule, key, yaml.document_get_node(r->document, *i));
  return result;
}

static bool has_key(const struct settings_reader *r, const yaml_node_t *node, const yaml_node_pair_t *end)
{
  const char *key = scalar_text(yaml.document_get_node(r->document, end->key));
  for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < end; p++)
    if (!strcmp(scalar_text(yaml.document_get_node(r->document, p->key)), key))
      return true;
  return false;
}

/* Reads a mapping of the file, or of one of its sections, but no deeper one. */
static int settings_read_mapping(struct settings_reader *r, const char *section, const yaml_node_t *node)
{
  int result = CLI_DONE;
  if (node->type != YAML_MAPPING_NODE)
    return settings_fail(r, &node->start_mark, "expected keys with values", *section ? section : NULL);
  const yaml_node_pair_t *p = node->data.mapping.pairs.start;
  for (; result == CLI_DONE && p < node->data.mapping.pairs.top; p++) {
    const yaml_node_t *key_node = yaml.document_get_node(r->document, p->key);
    const yaml_node_t *value = yaml.document_get_node(r->document, p->value);
    const char *key = scalar_text(key_node);
    if (!key)
      return settings_fail(r, &key_node->start_mark, "expected a key", NULL);
    const uint32_t rule = rule_find(r->rules, section, key);
    if (has_key(r, node, p))
      result = settings_fail(r, &key_node->start_mark, "duplicate key", key);
    else if (rule != UINT32_MAX)
      result = settings_read_value(r, rule, key, value);
    else if (!*section && section_is_known(r->rules, key))
      result = settings_read_mapping(r, key, value);
    else
      result = settings_fail_key(r, section, key_node);
  }
  return result;
}

/* Refuses files that are nested too deep, for which libyaml takes time that grows with the square of the depth, without
 * a limit; and a second document, which yaml_parser_load() would ignore. Errors within the first document are left to
 * it. */
static int settings_check_events(struct settings_reader *r, FILE *file)
{
  yaml_parser_t parser;
  yaml_event_t event;
  unsigned depth = 0, begun = 0, ended = 0;
  int result = CLI_DONE;
  if (!yaml.parser_initialize(&parser))
    return cli_fail_memory(r->cli);
  yaml.parser_set_input_file(&parser, file);
  for (bool more = true; more && result == CLI_DONE;) {
    if (!yaml.parser_parse(&parser, &event)) {
      if (ended)
        result = settings_fail(r, &parser.problem_mark, parser.problem ? parser.problem : "not valid YAML", NULL);
      break;
    }
    const yaml_event_type_t type = event.type;
    depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
    depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
    begun += type == YAML_DOCUMENT_START_EVENT;
    ended += type == YAML_DOCUMENT_END_EVENT;
    more = type != YAML_STREAM_END_EVENT;
    if (depth > MOST_DEPTH)
      result = settings_fail(r, &event.start_mark, "nested more than 16 levels deep", NULL);
    else if (begun > 1)
      result = settings_fail(r, &event.start_mark, "a second document; expected one", NULL);
    yaml.event_delete(&event);
  }
  yaml.parser_delete(&parser);
  rewind(file);
  return result;
}

static int settings_parse(struct settings_reader *r, FILE *file)
{
  yaml_parser_t parser;
  yaml_document_t document;
  if (!yaml.parser_initialize(&parser))
    return cli_fail_memory(r->cli);
  yaml.parser_set_input_file(&parser, file);
  int result = CLI_DONE;
  if (!yaml.parser_load(&parser, &document)) {
    result = settings_fail(r, &parser.problem_mark, parser.problem ? parser.problem : "not valid YAML", NULL);
    yaml.parser_delete(&parser);
    return result;
  }
  r->document = &document;
  const yaml_node_t *root = yaml.document_get_root_node(&document);
  if (root) /* an empty file has no settings */
    result = settings_read_mapping(r, "", root);
  yaml.document_delete(&document);
  r->document = NULL;
  yaml.parser_delete(&parser);
  return result;
}

int settings_load(struct cli *cli, const char *path, const struct setting_rule *rules, struct settings *ret)
{
  struct settings_reader r = {cli, rules, NULL, ret};
  struct stat st;
  *ret = (struct settings){.path = path};
  if (!yaml_load_library(cli))
    return CLI_USAGE;
  FILE *file = fopen(path, "re");
  if (!file)
    return cli_fail(cli, "%s: %s", path, strerror(errno));
  int result;
  if (fstat(fileno(file), &st) || !S_ISREG(st.st_mode) || st.st_size > MOST_BYTES)
    result = cli_fail(cli, "%s: expected a regular file of at most %d bytes", path, MOST_BYTES);
  else
    result = settings_check_events(&r, file);
  if (result == CLI_DONE)
    result = settings_parse(&r, file);
  fclose(file);
  if (result != CLI_DONE)
    settings_fini(ret);
  return result;
}

void settings_fini(struct settings *s)
{
  for (uint32_t i = 0; i < s->n; i++) {
    free(s->items[i].key);
    free(s->items[i].text);
  }
  free(s->items);
  s->items = NULL;
  s->n = 0;
}

const struct setting *settings_next(const struct settings *s, uint32_t rule, const struct setting *after)
{
  for (uint32_t i = after ? (uint32_t)(after - s->items) + 1 : 0; i < s->n; i++)
    if (s->items[i].rule == rule)
      return &s->items[i];
  return NULL;
}

const char *settings_text(const struct settings *s, uint32_t rule)
{
  const struct setting *item = settings_next(s, rule, NULL);
  return item ? item->text : NULL;
}

const char *settings_place(const struct settings *s, const struct setting *item, char *text, size_t size)
{
  snprintf(text, size, "%s:%u:%u: %s", s->path, item->line, item->column, item->key);
  return text;
}
