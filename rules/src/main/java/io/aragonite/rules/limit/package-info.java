/** Time limits, budget, cancellation and clock of the planning of a statement. */
@NullMarked
package io.aragonite.rules.limit;

import org.jspecify.annotations.NullMarked;
