/**
 * The GPU convention: its relational expressions, the rules that make them. Start with {@link
 * GpuRules}.
 */
@NullMarked
package io.aragonite.rules.rel;

import org.jspecify.annotations.NullMarked;
