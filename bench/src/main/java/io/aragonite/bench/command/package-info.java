/** The command {@code aragonite bench}. */
@NullMarked
package io.aragonite.bench.command;

import org.jspecify.annotations.NullMarked;
