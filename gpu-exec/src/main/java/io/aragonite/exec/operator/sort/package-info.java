/** Sorting: order-preserving words, full sorts, top-N. */
@NullMarked
package io.aragonite.exec.operator.sort;

import org.jspecify.annotations.NullMarked;
