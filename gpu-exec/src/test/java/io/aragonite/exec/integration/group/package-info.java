/** Queries of the engine on several devices together. */
@NullMarked
package io.aragonite.exec.integration.group;

import org.jspecify.annotations.NullMarked;
