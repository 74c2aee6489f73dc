/** What ends work inside a batch: cancelling, time limits, and the size of single values. */
@NullMarked
package io.aragonite.exec.limit;

import org.jspecify.annotations.NullMarked;
