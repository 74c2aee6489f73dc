/** Queries of the engine on a GPU, and what they ask of its driver. */
@NullMarked
package io.aragonite.exec.integration.cuda;

import org.jspecify.annotations.NullMarked;
