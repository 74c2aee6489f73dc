/** What joins, groupings and plans should take on a device. */
@NullMarked
package io.aragonite.exec.cost;

import org.jspecify.annotations.NullMarked;
