/** The files that rows are spilled to, and their budget. Start with {@link SpillSpace}. */
@NullMarked
package io.aragonite.exec.spill.file;

import org.jspecify.annotations.NullMarked;
