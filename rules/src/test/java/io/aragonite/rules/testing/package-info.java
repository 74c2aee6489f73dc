/** A TPC-H schema with statistics and without data, and a planner for it. */
@NullMarked
package io.aragonite.rules.testing;

import org.jspecify.annotations.NullMarked;
