/** The JDBC driver, schemas, table formats, server, shell and commands. */
@NullMarked
package io.aragonite.adapter;

import org.jspecify.annotations.NullMarked;
