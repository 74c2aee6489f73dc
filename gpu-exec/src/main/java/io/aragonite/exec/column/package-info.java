/** Columns and batches of them in Arrow layout. */
@NullMarked
package io.aragonite.exec.column;

import org.jspecify.annotations.NullMarked;
