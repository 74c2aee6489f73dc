/** Tables as Calcite's planner sees them. */
@NullMarked
package io.aragonite.adapter.catalog;

import org.jspecify.annotations.NullMarked;
