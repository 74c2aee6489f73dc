/** The shell at a terminal: sqlline and JLine read lines, which names are completed in. */
@NullMarked
package io.aragonite.adapter.shell.terminal;

import org.jspecify.annotations.NullMarked;
