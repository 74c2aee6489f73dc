/**
 * Parameters of prepared statements: what JDBC's setters were given, as SQL values whose types are
 * their own, never those of the columns that they are compared with.
 */
@NullMarked
package io.aragonite.adapter.parameter;

import org.jspecify.annotations.NullMarked;
