/** From the text of a statement to Calcite's syntax tree: what people type beyond the standard. */
@NullMarked
package io.aragonite.adapter.sql.parse;

import org.jspecify.annotations.NullMarked;
