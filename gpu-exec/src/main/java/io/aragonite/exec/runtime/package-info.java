/** What queries run within: who is inside one, and when what they use may be freed. */
@NullMarked
package io.aragonite.exec.runtime;

import org.jspecify.annotations.NullMarked;
