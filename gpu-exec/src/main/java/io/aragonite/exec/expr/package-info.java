/** Scalar expressions: the tree and its reference interpreter. */
@NullMarked
package io.aragonite.exec.expr;

import org.jspecify.annotations.NullMarked;
