package io.aragonite.exec.device.cuda;

/**
 * What a query did on a GPU.
 *
 * @param kernels launches
 * @param toDeviceBytes bytes copied from the host
 * @param toHostBytes bytes copied to the host
 * @param deviceNanos time from the first to the last work of each stretch between two waits, summed
 */
public record CudaCounters(long kernels, long toDeviceBytes, long toHostBytes, long deviceNanos) {}
