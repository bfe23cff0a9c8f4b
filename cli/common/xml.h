/* SPDX-License-Identifier: MIT */
/* Writes parts of XML. */
#ifndef CLI_COMMON_XML_H
#define CLI_COMMON_XML_H

#include "cli/common/out.h"

/* Writes ` NAME="VALUE"`; characters that XML does not allow in VALUE are escaped, or replaced by `?`. */
void xml_attribute(struct out *out, const char *name, const char *value);
/* Writes `<ELEMENT message="MESSAGE">TEXT</ELEMENT>` in the same way; message NULL: none. */
void xml_element(struct out *out, const char *element, const char *message, const char *text);

#endif
