/** Subqueries and correlation become joins. */
@NullMarked
package io.aragonite.rules.program.subquery;

import org.jspecify.annotations.NullMarked;
