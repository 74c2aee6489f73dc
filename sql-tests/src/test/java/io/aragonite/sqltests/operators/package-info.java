/** Calcite's own operator tests, through our driver. */
@NullMarked
package io.aragonite.sqltests.operators;

import org.jspecify.annotations.NullMarked;
