/** The command line. */
@NullMarked
package io.aragonite.adapter.cli;

import org.jspecify.annotations.NullMarked;
