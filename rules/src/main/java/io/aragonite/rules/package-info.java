/**
 * The Calcite convention, its rules, statistics and costs, and the translation to physical plans.
 */
@NullMarked
package io.aragonite.rules;

import org.jspecify.annotations.NullMarked;
