/** Checks of the code's structure: layers, import cycles, names, lengths of methods. */
@NullMarked
package io.aragonite.sqltests.architecture;

import org.jspecify.annotations.NullMarked;
