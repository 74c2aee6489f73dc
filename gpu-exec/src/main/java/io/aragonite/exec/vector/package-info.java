/** Columns and batches of them in Arrow layout, row ids, dictionaries. */
@NullMarked
package io.aragonite.exec.vector;

import org.jspecify.annotations.NullMarked;
