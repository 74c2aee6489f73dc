/** The planning program: what is done to a query, and in which order. */
@NullMarked
package io.aragonite.rules.program;

import org.jspecify.annotations.NullMarked;
