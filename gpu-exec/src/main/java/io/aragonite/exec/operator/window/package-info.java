/** Window functions, over rows sorted by partition and order, in host memory. */
@NullMarked
package io.aragonite.exec.operator.window;

import org.jspecify.annotations.NullMarked;
