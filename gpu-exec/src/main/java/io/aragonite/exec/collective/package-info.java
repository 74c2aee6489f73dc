/**
 * Devices that run one plan together: what each knows of the others, and where they meet. Start
 * with {@link Rank}.
 */
@NullMarked
package io.aragonite.exec.collective;

import org.jspecify.annotations.NullMarked;
