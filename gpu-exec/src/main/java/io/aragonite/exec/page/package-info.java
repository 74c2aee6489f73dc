/** Pages of Parquet files: their bytes to values. */
@NullMarked
package io.aragonite.exec.page;

import org.jspecify.annotations.NullMarked;
