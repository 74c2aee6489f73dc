/** Arrow IPC files. */
@NullMarked
package io.aragonite.adapter.format.arrow;

import org.jspecify.annotations.NullMarked;
