/** Joins of several relations at once, over tries. Start with {@link MultiwayFactory}. */
@NullMarked
package io.aragonite.exec.operator.multiway;

import org.jspecify.annotations.NullMarked;
