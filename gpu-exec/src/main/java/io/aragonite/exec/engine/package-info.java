/** The engine: devices by name, the choice between them, queries. Start with {@link Engine}. */
@NullMarked
package io.aragonite.exec.engine;

import org.jspecify.annotations.NullMarked;
