/**
 * Statements that make, fill and take away tables of a connection, or write files: from text to
 * what is to be done. Start with {@link TableStatement}.
 */
@NullMarked
package io.aragonite.adapter.ddl;

import org.jspecify.annotations.NullMarked;
