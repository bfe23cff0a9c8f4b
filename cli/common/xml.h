/* SPDX-License-Identifier: MIT */
/* Parts of an XML text. */
#ifndef CLI_COMMON_XML_H
#define CLI_COMMON_XML_H

#include "cli/common/out.h"

/* The text with the characters that XML does not allow escaped, or replaced by `?`. */
void xml_text(struct out *out, const char *text);
/* ` NAME="VALUE"` */
void xml_attribute(struct out *out, const char *name, const char *value);
/* `<ELEMENT message="MESSAGE">TEXT</ELEMENT>`; message NULL: none. */
void xml_element(struct out *out, const char *element, const char *message, const char *text);

#endif
