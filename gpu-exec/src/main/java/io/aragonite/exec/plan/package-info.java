/** Physical plans. */
@NullMarked
package io.aragonite.exec.plan;

import org.jspecify.annotations.NullMarked;
