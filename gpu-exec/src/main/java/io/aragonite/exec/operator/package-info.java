/** Operators over primitives. */
@NullMarked
package io.aragonite.exec.operator;

import org.jspecify.annotations.NullMarked;
