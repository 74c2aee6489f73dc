/** From Calcite's trees to physical plans. */
@NullMarked
package io.aragonite.rules.translate;

import org.jspecify.annotations.NullMarked;
