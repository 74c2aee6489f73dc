/** The first answers of fresh processes over files, beside DuckDB. */
@NullMarked
package io.aragonite.bench.cold;

import org.jspecify.annotations.NullMarked;
