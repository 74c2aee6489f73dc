/**
 * What every device must do alike: its operations, its compiled expressions, its caches of columns.
 */
@NullMarked
package io.aragonite.exec.device.contract;

import org.jspecify.annotations.NullMarked;
