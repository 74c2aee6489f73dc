/** What sqlline keeps to its own package: how it takes lines and prints results. */
@NullMarked
package sqlline;

import org.jspecify.annotations.NullMarked;
