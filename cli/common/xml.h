/* SPDX-License-Identifier: MIT */
/* Writes parts of XML. */
#ifndef CLI_COMMON_XML_H
#define CLI_COMMON_XML_H

#include "cli/common/out.h"

/* Writes the text; characters that XML does not allow are escaped, or replaced by `?`. */
void xml_text(struct out *out, const char *text);
/* ` NAME="VALUE"` */
void xml_attribute(struct out *out, const char *name, const char *value);
/* `<ELEMENT message="MESSAGE">TEXT</ELEMENT>`; message NULL: none. */
void xml_element(struct out *out, const char *element, const char *message, const char *text);

#endif
