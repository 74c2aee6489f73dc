/** What sqlline keeps to its own package: how it prints a result. */
@NullMarked
package sqlline;

import org.jspecify.annotations.NullMarked;
