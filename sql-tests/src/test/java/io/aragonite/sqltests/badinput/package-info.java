/** What bad input gets: the right error, and a connection that goes on working. */
@NullMarked
package io.aragonite.sqltests.badinput;

import org.jspecify.annotations.NullMarked;
