/** Running physical plans under Calcite's Enumerable convention. */
@NullMarked
package io.aragonite.rules.runtime;

import org.jspecify.annotations.NullMarked;
