/* SPDX-License-Identifier: MIT */
/* Devices behind I/O stacks in a capture, and their lines. */
#include <stdio.h>
#include <string.h>
#include "src/base/sized.h"
#include "src/base/text.h"
#include "src/platform/address.h"
#include "src/base/writer.h"
#include "src/capture/capture.h"

/* Maximum values; a line with a higher one is damaged. */
enum { DEVICES_MAX = 4096, INSTANCE_MOST = 63, PORT_MOST = 31, CLASS_MOST = 0xffffff };

/* True for DDDD:BB:DD.F in hexadecimal, as Linux writes it; domains may have more digits. */
static bool is_address(const char *s, size_t n)
{
  static const char form[] = "xxxx:xx:xx.x";
  static const char digits[] = "0123456789abcdef";
  size_t i = 0;
  while (n > sizeof form - 1 && *s && strchr(digits, *s))
    s++, n--;
  for (; i < n && form[i]; i++)
    if (form[i] == 'x' ? !s[i] || !strchr(digits, s[i]) : s[i] != form[i])
      return false;
  return i == n && !form[i];
}

static void copy_printable(char *to, size_t size, const char *from, size_t n)
{
  size_t k = 0;
  for (size_t i = 0; i < n && k + 1 < size; i++) {
    const char c = from[i];
    /* A # after a blank would begin a comment; bytes from 128 on are UTF-8. */
    const bool bad = (unsigned char)c < ' ' || c == 0x7f || (c == '#' && k && to[k - 1] == ' ');
    if (k || c != ' ')
      to[k++] = bad ? '?' : c;
  }
  while (k && to[k - 1] == ' ')
    k--;
  to[k] = 0;
}

static int add_row(struct pmon_capture *c, const struct captured_device *row)
{
  if (row->package >= c->n_packages || c->devices.n == DEVICES_MAX)
    return PMON_E_RANGE;
  for (uint32_t i = 0; i < c->devices.n; i++)
    if (!strcmp(((const struct captured_device *)vec_at(&c->devices, i))->address, row->address))
      return PMON_E_CONFLICT;
  return vec_append(&c->devices, row, 1) ? 0 : PMON_E_MEMORY;
}

int pmon_capture_add_device(struct pmon_capture *c, const struct pmon_device *device)
{
  struct pmon_device full = {0};
  int status = device ? sized_take(&full, sizeof full, device) : PMON_E_INVALID;
  if (status || !c || !full.unit || !full.address)
    return status ? status : PMON_E_INVALID;
  struct captured_device row = {.package = full.package,
                                .instance = full.instance,
                                .port = full.port,
                                .class_code = full.class_code,
                                .vendor = full.vendor,
                                .id = full.id};
  const size_t unit = strlen(full.unit), address = strlen(full.address);
  if (!unit || unit >= sizeof row.unit || address >= sizeof row.address || !is_address(full.address, address) ||
      full.instance > INSTANCE_MOST || (full.port > PORT_MOST && full.port != UINT32_MAX) ||
      full.class_code > CLASS_MOST)
    return PMON_E_RANGE;
  memcpy(row.unit, full.unit, unit);
  memcpy(row.address, full.address, address);
  copy_printable(row.name, sizeof row.name, full.name ? full.name : "", full.name ? strlen(full.name) : 0);
  return add_row(c, &row);
}

int pmon_capture_device(const struct pmon_capture *c, uint32_t i, struct pmon_device *device)
{
  if (i >= c->devices.n)
    return PMON_E_RANGE;
  const struct captured_device *row = vec_at(&c->devices, i);
  const struct pmon_device full = {.unit = row->unit,
                                   .package = row->package,
                                   .instance = row->instance,
                                   .port = row->port,
                                   .address = row->address,
                                   .name = row->name,
                                   .vendor = row->vendor,
                                   .id = row->id,
                                   .class_code = row->class_code};
  return sized_fill(device, &full, sizeof full);
}

static bool take_number(struct text *rest, uint64_t most, struct text *ret_got, uint64_t *ret)
{
  *ret_got = text_take_word(rest);
  return ret_got->n && text_number(*ret_got, ret) && *ret <= most;
}

/* Takes a unit's name: lower-case letters, digits and underscores. */
static bool take_unit(struct text *rest, struct text *ret_got, char *unit, size_t size)
{
  *ret_got = text_take_word(rest);
  for (size_t i = 0; i < ret_got->n && ret_got->n < size; i++) {
    const char c = ret_got->s[i];
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
      return false;
  }
  if (!ret_got->n || ret_got->n >= size)
    return false;
  memcpy(unit, ret_got->s, ret_got->n);
  return true;
}

const char *capture_take_device(struct pmon_capture *c, struct text *rest, struct text *ret_got, int *ret_status)
{
  static const struct {
    const char *expected;
    uint64_t most;
  } words[] = {
      {"a vendor of 16 bits", UINT16_MAX}, {"a device of 16 bits", UINT16_MAX}, {"a class of 24 bits", CLASS_MOST}};
  struct captured_device row = {0};
  uint64_t package = 0, instance = 0, port = UINT32_MAX, values[3] = {0};
  *ret_status = PMON_E_SYNTAX;
  if (!take_number(rest, UINT32_MAX, ret_got, &package) || package >= c->n_packages)
    return "the number of an earlier package";
  if (!take_unit(rest, ret_got, row.unit, sizeof row.unit))
    return "a unit's name";
  if (!take_number(rest, INSTANCE_MOST, ret_got, &instance))
    return "an instance's number";
  if (!take_number(rest, PORT_MOST, ret_got, &port) && !text_is(*ret_got, "-"))
    return "a port's number, or -";
  *ret_got = text_take_word(rest);
  if (ret_got->n >= sizeof row.address || !is_address(ret_got->s, ret_got->n))
    return "a PCI address (0000:17:00.0)";
  memcpy(row.address, ret_got->s, ret_got->n);
  for (size_t i = 0; i < 3; i++)
    if (!take_number(rest, words[i].most, ret_got, &values[i]))
      return words[i].expected;
  row.package = (uint32_t)package;
  row.instance = (uint32_t)instance;
  row.port = port > PORT_MOST ? UINT32_MAX : (uint32_t)port;
  row.vendor = (uint16_t)values[0];
  row.id = (uint16_t)values[1];
  row.class_code = (uint32_t)values[2];
  copy_printable(row.name, sizeof row.name, rest->s, rest->n);
  *rest = (struct text){rest->s + rest->n, 0};
  *ret_status = add_row(c, &row);
  switch (*ret_status) {
  case 0: return NULL;
  case PMON_E_RANGE: return "too many devices";
  case PMON_E_CONFLICT: return "duplicate device";
  default: return "no memory";
  }
}

void capture_put_device(struct writer *w, const struct captured_device *d)
{
  write_text(w, "device ");
  write_decimal(w, d->package);
  write_char(w, ' ');
  write_text(w, d->unit);
  write_char(w, ' ');
  write_decimal(w, d->instance);
  write_char(w, ' ');
  if (d->port == UINT32_MAX)
    write_char(w, '-');
  else
    write_decimal(w, d->port);
  write_char(w, ' ');
  write_text(w, d->address);
  const uint32_t words[] = {d->vendor, d->id, d->class_code};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    write_char(w, ' ');
    write_hex(w, words[i]);
  }
  if (*d->name) {
    write_char(w, ' ');
    write_text(w, d->name);
  }
  write_char(w, '\n');
}
