/** How a plan is cut into pipelines and run. */
@NullMarked
package io.aragonite.exec.pipeline;

import org.jspecify.annotations.NullMarked;
