/** Joins of two relations. Start with {@link JoinFactory}. */
@NullMarked
package io.aragonite.exec.operator.join;

import org.jspecify.annotations.NullMarked;
