/** Times the same queries on several engines in one JVM, and shows them side by side. */
@NullMarked
package io.aragonite.sqltests.bench;

import org.jspecify.annotations.NullMarked;
