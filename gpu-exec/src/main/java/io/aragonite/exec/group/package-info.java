/**
 * Several devices that run one plan together: each its share, with exchanges between. Start with
 * {@link DeviceGroup}.
 */
@NullMarked
package io.aragonite.exec.group;

import org.jspecify.annotations.NullMarked;
