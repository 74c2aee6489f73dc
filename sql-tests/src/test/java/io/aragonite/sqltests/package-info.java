/** Tests that talk to the product through JDBC only. */
@NullMarked
package io.aragonite.sqltests;

import org.jspecify.annotations.NullMarked;
