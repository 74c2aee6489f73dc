/** Relational expressions of the GPU convention, and the rules that make them. */
@NullMarked
package io.aragonite.rules.rel;

import org.jspecify.annotations.NullMarked;
