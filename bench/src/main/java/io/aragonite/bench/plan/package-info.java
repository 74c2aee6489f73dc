/** The planner's estimates and plans beside what is true and best. */
@NullMarked
package io.aragonite.bench.plan;

import org.jspecify.annotations.NullMarked;
