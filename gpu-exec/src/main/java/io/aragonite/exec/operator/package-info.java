/** Scans, filters, projections and the collecting of rows. */
@NullMarked
package io.aragonite.exec.operator;

import org.jspecify.annotations.NullMarked;
