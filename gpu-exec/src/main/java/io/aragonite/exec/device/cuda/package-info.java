/**
 * NVIDIA GPUs as devices: the driver through JCuda, kernels of our own. Nothing outside this
 * package and its subpackages knows JCuda.
 */
@NullMarked
package io.aragonite.exec.device.cuda;

import org.jspecify.annotations.NullMarked;
