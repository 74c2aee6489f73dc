package io.aragonite.exec.device;

/**
 * What a query did on a device with memory of its own.
 *
 * @param kernels launches
 * @param toDeviceBytes bytes copied from the host
 * @param toHostBytes bytes copied to the host
 * @param deviceNanos time of the host's clock in which the device had something to do: from the
 *     first work that was asked for until a wait had ended, summed
 */
public record DeviceUsage(long kernels, long toDeviceBytes, long toHostBytes, long deviceNanos) {
  /** Of a device whose memory is the host's. */
  public static final DeviceUsage NONE = new DeviceUsage(0, 0, 0, 0);
}
