/** Writing files, and reading many small ones, beside DuckDB. */
@NullMarked
package io.aragonite.bench.files;

import org.jspecify.annotations.NullMarked;
