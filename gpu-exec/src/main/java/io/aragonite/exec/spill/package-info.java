/**
 * Rows that memory does not hold: spillable collections and partitions, and who gives up memory.
 * Start with {@link QuerySpill}.
 */
@NullMarked
package io.aragonite.exec.spill;

import org.jspecify.annotations.NullMarked;
