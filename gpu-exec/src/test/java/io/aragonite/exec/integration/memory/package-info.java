/** Queries of the engine in too little memory: what spills, and what is refused. */
@NullMarked
package io.aragonite.exec.integration.memory;

import org.jspecify.annotations.NullMarked;
