/**
 * Functions of the host that end when their query is to end: what takes patterns, in place of
 * Calcite's, which may take time without bound.
 */
@NullMarked
package io.aragonite.rules.function;

import org.jspecify.annotations.NullMarked;
