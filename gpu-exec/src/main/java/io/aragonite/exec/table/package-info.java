/** Stored tables as the engine sees them. */
@NullMarked
package io.aragonite.exec.table;

import org.jspecify.annotations.NullMarked;
