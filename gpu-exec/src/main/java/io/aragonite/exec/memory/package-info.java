/** Memory: budgets, allocators, raw access. */
@NullMarked
package io.aragonite.exec.memory;

import org.jspecify.annotations.NullMarked;
