package io.aragonite.exec.profile;

/**
 * What a device was measured to do, all workers together: times are nanoseconds of the whole device
 * for each item, so that those of a GPU with thousands of threads are small fractions.
 *
 * @param source where the figures come from, for people
 * @param sequentialBytesPerNano bytes read or written in order
 * @param sectorBytes what one access to memory moves at least
 * @param nearBytes what the caches of single cores hold of what all of them want most
 * @param cacheBytes what the shared cache holds of what is visited at random
 * @param nearNanos looking a row up in a table that the cores' caches hold
 * @param hitNanos the same with a table that the shared cache holds
 * @param missNanos the same with a table in memory
 * @param insertHitNanos putting a row in a table by direct address that the cache holds
 * @param insertMissNanos the same in a larger table
 * @param insertOrderedNanos the same of keys that ascend
 * @param insertPartNanos the same of rows that were partitioned by the places of their keys
 * @param mixedInsertNanos what a row more takes where keys must be mixed and compared
 * @param mixedPartNanos the same of rows that were partitioned so
 * @param mixedProbeNanos what a lookup more takes there
 * @param groupPassNanos a row and 8 bits of the words of a table of keys that repeat, which are
 *     sorted
 * @param groupRowNanos what such a row takes beside
 * @param expandNanos a pair of a row and one of several partners
 * @param mergeNanos finding the range of a word among sorted ones
 * @param strayNanos what a row more takes to partition whose key is beyond those of the other side
 * @param partitionRowNanos a row of a partition pass
 * @param partitionByteNanos a byte of such a row
 * @param sortRowNanos a row of one 8-bit pass of a sort of 64-bit words with row ids
 * @param startNanos launching a step of work
 * @param syncNanos waiting for a figure that decides the next step
 * @param rankInsertNanos putting a row in a table of a bit a key, near; 0: the device is a GPU,
 *     which has no such tables, and all that follows but the last two is 0 as well
 * @param rankProbeNanos what a lookup more takes there
 * @param collisionNanos what a word takes that meets another one in its slot
 * @param valueNanos making a value of an output
 * @param partitionValueNanos what a row's column takes in a partition pass, beside its bytes
 * @param searchNanos finding out where a word is among sorted ones; {@code mergeNanos} is then what
 *     each doubling of the step takes
 * @param freshByteNanos a byte of memory that comes from the operating system
 * @param hostBytesPerNano bytes brought from the host's memory to the device's; infinite where
 *     these are the same
 * @param pinnedBytesPerNano the same from page-locked memory of the host
 */
public record MachineProfile(
    String source,
    double sequentialBytesPerNano,
    double sectorBytes,
    double nearBytes,
    double cacheBytes,
    double nearNanos,
    double hitNanos,
    double missNanos,
    double insertHitNanos,
    double insertMissNanos,
    double insertOrderedNanos,
    double insertPartNanos,
    double mixedInsertNanos,
    double mixedPartNanos,
    double mixedProbeNanos,
    double groupPassNanos,
    double groupRowNanos,
    double expandNanos,
    double mergeNanos,
    double strayNanos,
    double partitionRowNanos,
    double partitionByteNanos,
    double sortRowNanos,
    double startNanos,
    double syncNanos,
    double rankInsertNanos,
    double rankProbeNanos,
    double collisionNanos,
    double valueNanos,
    double partitionValueNanos,
    double searchNanos,
    double freshByteNanos,
    double hostBytesPerNano,
    double pinnedBytesPerNano) {

  /**
   * One NVIDIA H200, 2026-11-21: fitted to 391 points of {@code bench choice --device cuda}, seeds
   * 3 and 4, each candidate's measured time. The copy rate and the two last were measured, as were
   * the visit to memory (a gather from 537 MB) and the pass of a sort; what repeated keys take
   * beside is fitted to 200 points of joins as queries run them.
   */
  public static final MachineProfile H200 =
      new MachineProfile(
          "shipped: NVIDIA H200, 2026-11-21",
          4150, // copy of 2^27 rows
          32,
          128 << 10, // L1 of an SM
          29.2e6, // the L2 has 60 MB
          0.00281,
          0.00856,
          0.03,
          0.0165,
          0.071,
          0.006,
          0.01666,
          0.0392,
          0.0361,
          0.00719,
          0.0073,
          0.0142,
          0.0061,
          0.0188,
          0.0041,
          0.00369,
          0.0006,
          0.01088,
          8_100,
          12_350,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          45, // through staging
          55);

  /**
   * One core of an AMD EPYC (Zen 4, 2026-11-21): fitted to 720 points of {@code bench choice
   * --clock processor --threads 1}, seeds 14 to 16, each candidate's time and its phases; what
   * sparse keys take (mixed words and collisions) by their primitives' times and by seeds 19 and 20
   * on a quiet machine, 2026-11-22.
   */
  public static final MachineProfile CORE =
      new MachineProfile(
          "shipped: a core of AMD EPYC (Zen 4), 2026-11-21",
          45.2,
          64,
          302e3,
          7.21e6,
          1.989,
          3.721,
          9.857,
          1.997,
          20, // tables are priced by their visits
          1.946,
          1.997,
          8.0,
          9.26,
          2.4,
          0,
          2.017,
          0.451,
          9.97,
          0,
          5.756,
          0.0472,
          2.898,
          7.7,
          204,
          10.59,
          3.25,
          11.7,
          0.262,
          0.972,
          5.82,
          0.0206,
          Double.POSITIVE_INFINITY,
          Double.POSITIVE_INFINITY);

  /** Two cores of a server, without calibration. */
  public static final MachineProfile CPU = CORE.workers(2);

  /** From its figures, in the order of the record's components. */
  public static MachineProfile of(String source, double[] f) {
    return new MachineProfile(
        source, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12],
        f[13], f[14], f[15], f[16], f[17], f[18], f[19], f[20], f[21], f[22], f[23], f[24], f[25],
        f[26], f[27], f[28], f[29], f[30], f[31], f[32]);
  }

  /** All figures, in the order of the record's components. */
  public double[] figures() {
    return new double[] {
      sequentialBytesPerNano,
      sectorBytes,
      nearBytes,
      cacheBytes,
      nearNanos,
      hitNanos,
      missNanos,
      insertHitNanos,
      insertMissNanos,
      insertOrderedNanos,
      insertPartNanos,
      mixedInsertNanos,
      mixedPartNanos,
      mixedProbeNanos,
      groupPassNanos,
      groupRowNanos,
      expandNanos,
      mergeNanos,
      strayNanos,
      partitionRowNanos,
      partitionByteNanos,
      sortRowNanos,
      startNanos,
      syncNanos,
      rankInsertNanos,
      rankProbeNanos,
      collisionNanos,
      valueNanos,
      partitionValueNanos,
      searchNanos,
      freshByteNanos,
      hostBytesPerNano,
      pinnedBytesPerNano
    };
  }

  /** Whether these are cores of the host, and not a device of another kind. */
  public boolean host() {
    return rankInsertNanos > 0;
  }

  /** So many cores of which this is one, each with as much of the work. */
  public MachineProfile workers(int count) {
    double[] f = figures();
    f[0] *= count;
    for (int i = 4; i <= 21; i++) {
      f[i] /= count;
    }
    for (int i = 24; i <= 30; i++) {
      f[i] /= count;
    }
    return of(count == 1 ? source : source + ", times " + count, f);
  }

  /** The same figures from elsewhere. */
  public MachineProfile withSource(String other) {
    return of(other, figures());
  }

  /**
   * A guess at a GPU that nobody has measured: what memory bounds goes as its bandwidth.
   *
   * @param bandwidth of its memory over this one's
   * @param cache its shared cache over this one's
   */
  public MachineProfile scaled(String product, double bandwidth, double cache) {
    double[] f = figures();
    f[0] *= bandwidth;
    f[3] *= cache;
    for (int i = 4; i <= 21; i++) {
      f[i] /= bandwidth;
    }
    return of("estimated for %s from %s".formatted(product, source), f);
  }

  /** Time to read or write bytes in order. */
  public double sequential(double bytes) {
    return bytes / sequentialBytesPerNano;
  }

  /**
   * Time of visits to random places, waits for memory only.
   *
   * @param visits how many
   * @param space bytes that the places are in
   * @param skew how visits are spread over the places
   */
  public double random(double visits, double space, Skew skew) {
    double cached = share(cacheBytes, space, skew);
    return random(visits, cached, Math.min(cached, share(nearBytes, space, skew)));
  }

  /**
   * Time of visits to the rows of keys.
   *
   * @param space bytes that the rows' values are in
   * @param skew how visits are spread over keys
   * @param copies rows of a key, which lie anywhere
   * @param cache how much of the cache is theirs, over what tables have of it
   */
  public double randomRows(double visits, double space, Skew skew, double copies, double cache) {
    double cached = rowShare(cache * cacheBytes, space, skew, copies);
    return random(visits, cached, Math.min(cached, rowShare(nearBytes, space, skew, copies)));
  }

  private double random(double visits, double cached, double near) {
    double hit = hitNanos - nearNanos;
    return visits * ((cached - near) * hit + (1 - cached) * (missNanos - nearNanos));
  }

  private double rowShare(double cache, double space, Skew skew, double copies) {
    double uniform = Math.min(1, cache / Math.max(1, space));
    return skew.exponent() == 0
        ? uniform
        : Math.max(uniform, skew.share(cache / sectorBytes / copies));
  }

  /**
   * Time of visits in ascending order with gaps, as the rows of one of so many partitions have:
   * each moves a sector, and pages are changed the more often the wider the gaps are.
   */
  public double strided(double visits, double width, double partitions, double space) {
    double gap = Math.max(1, partitions * width / sectorBytes);
    double visit = Math.min(sectorBytes, width * partitions) / sequentialBytesPerNano;
    return Math.min(
        visits * visit * Math.cbrt(gap) * 0.35, random(visits, space, Skew.none(space / width)));
  }

  /** Partitions that bring what is visited at random in each of them into the cache. */
  public double partitions(double bytes) {
    double wanted = Math.clamp(bytes / (cacheBytes / 3), 2, 256);
    return Math.pow(2, Math.ceil(Math.log(wanted) / Math.log(2)));
  }

  /** The share of visits that a cache serves: places that are wanted often lie anywhere. */
  private double share(double cache, double space, Skew skew) {
    double uniform = Math.min(1, cache / Math.max(1, space));
    return Math.max(uniform, skew.share(cache / sectorBytes));
  }

  /** The share of visits to places that are equally likely that the cache serves. */
  public double cached(double space) {
    return Math.min(1, cacheBytes / Math.max(1, space));
  }

  /** Time to put rows in a table by direct address. */
  public double insert(double rows, double tableBytes) {
    double cached = cached(tableBytes);
    return rows * (cached * insertHitNanos + (1 - cached) * insertMissNanos);
  }

  /**
   * Time to sort rows by repeated keys, for a table of them.
   *
   * @param passes of the sort
   */
  public double group(double rows, double passes) {
    return rows * (passes * groupPassNanos + groupRowNanos);
  }

  /** Time to partition rows of so many bytes in one pass. */
  public double partition(double rows, double rowBytes) {
    return rows * (partitionRowNanos + partitionByteNanos * rowBytes);
  }

  /** Time of steps that follow each other, and of waits for figures. */
  public double steps(int launches, int waits) {
    return launches * startNanos + waits * syncNanos;
  }
}
