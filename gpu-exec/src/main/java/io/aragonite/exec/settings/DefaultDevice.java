package io.aragonite.exec.settings;

/**
 * What {@code device=auto} means.
 *
 * @param name {@code cuda}, or that of a {@code DeviceProvider}; empty: the engine chooses
 * @param count devices at least that run a query together; those of one GPU share its memory
 */
public record DefaultDevice(String name, int count) {
  /** The engine chooses. */
  public static final DefaultDevice AUTO = new DefaultDevice("", 1);
}
