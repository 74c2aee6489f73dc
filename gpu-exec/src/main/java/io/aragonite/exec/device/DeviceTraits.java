package io.aragonite.exec.device;

/**
 * What kind of a device it is, as far as the choice of an algorithm depends on it. How quick it is
 * at what is in its {@link Device#profile}, and its sizes are in its {@link DeviceProperties}.
 *
 * @param hostMemory whether its memory is the host's: then addresses of buffers may be used with
 *     {@link io.aragonite.exec.memory.Mem}, and whoever can avoids copies altogether, as {@link
 *     HostColumns} does
 * @param morselDriven whether its workers are threads that share rows in morsels which stay in
 *     cache (Leis et al., "Morsel-driven parallelism", 2014); otherwise it spreads whole batches
 *     over its own threads, and wants them large
 * @param narrowKeys whether its hash tables take words of 4 bytes as they are
 */
public record DeviceTraits(boolean hostMemory, boolean morselDriven, boolean narrowKeys) {
  /** Of a CPU, whose tables want words of 8 bytes: it makes them of a batch that is in cache. */
  public static final DeviceTraits CPU = new DeviceTraits(true, true, false);

  /** Of a device with memory and threads of its own. */
  public static final DeviceTraits GPU = new DeviceTraits(false, false, true);
}
