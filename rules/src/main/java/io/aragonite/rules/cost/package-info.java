/** Costs as time. */
@NullMarked
package io.aragonite.rules.cost;

import org.jspecify.annotations.NullMarked;
