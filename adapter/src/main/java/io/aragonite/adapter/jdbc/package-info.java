/**
 * JDBC objects in front of Calcite's: each method of an interface is written out and goes through
 * one guard, which says errors in the catalogue's words. Start with {@link JdbcGuard}.
 */
@NullMarked
package io.aragonite.adapter.jdbc;

import org.jspecify.annotations.NullMarked;
