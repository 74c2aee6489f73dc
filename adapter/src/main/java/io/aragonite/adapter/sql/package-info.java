/**
 * Validation of statements and their conversion to relational algebra, with what Calcite's own
 * leaves out or answers wrongly. Start with {@link QueryValidator} and {@link StoppableConverter}.
 */
@NullMarked
package io.aragonite.adapter.sql;

import org.jspecify.annotations.NullMarked;
