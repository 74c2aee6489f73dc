/** SQL scripts that run under many configurations and are compared with DuckDB. */
@NullMarked
package io.aragonite.sqltests.corpus;

import org.jspecify.annotations.NullMarked;
