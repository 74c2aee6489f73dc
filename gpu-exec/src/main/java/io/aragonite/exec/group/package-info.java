/** Several devices that run one plan together: each its share, with exchanges between. */
@NullMarked
package io.aragonite.exec.group;

import org.jspecify.annotations.NullMarked;
