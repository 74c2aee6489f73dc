/** Joins of several relations at once, over tries. */
@NullMarked
package io.aragonite.exec.multiway;

import org.jspecify.annotations.NullMarked;
