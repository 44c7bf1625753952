#include <libxml/xmlversion.h>
// Its encodings are not used, and ICU's headers are not those of the ICU inside Foundation.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
