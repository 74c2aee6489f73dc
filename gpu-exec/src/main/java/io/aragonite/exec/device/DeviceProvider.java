package io.aragonite.exec.device;

/**
 * Makes a device that is not built in; found as a service, by the name that {@link
 * io.aragonite.exec.settings.EngineSettings#defaultDevice} has.
 */
public interface DeviceProvider {
  String name();

  /**
   * @param number of the device among several that run queries together, from 0
   * @param host the CPU device beside it; closed with the new one
   */
  Device create(int number, Device host);
}
