/** Scalar expressions: the tree, its reference interpreter, its compilers. */
@NullMarked
package io.aragonite.exec.expr;

import org.jspecify.annotations.NullMarked;
