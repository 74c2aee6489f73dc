/** Running physical plans under Calcite's Enumerable convention: {@link GpuQuery}. */
@NullMarked
package io.aragonite.rules.runtime;

import org.jspecify.annotations.NullMarked;
