/** Joins over primitives. */
@NullMarked
package io.aragonite.exec.join;

import org.jspecify.annotations.NullMarked;
