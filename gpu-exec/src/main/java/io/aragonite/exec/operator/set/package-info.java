/** Set operations and recursion. */
@NullMarked
package io.aragonite.exec.operator.set;

import org.jspecify.annotations.NullMarked;
