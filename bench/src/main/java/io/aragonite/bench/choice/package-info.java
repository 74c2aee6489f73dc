/** What the choice of a join algorithm costs: regret against measured times. */
@NullMarked
package io.aragonite.bench.choice;

import org.jspecify.annotations.NullMarked;
