package io.aragonite.exec.exchange.host;

import io.aragonite.exec.settings.EngineSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Ranges of keys and whose they are: so that each device has as many rows of both sides together,
 * equal keys are on one device, and a device's keys follow those of the device before. Found by a
 * sample of both sides, not by their most significant bits as in Maltenberger 2024 (section 3.1.2):
 * then one pass is enough whatever the keys are, and both sides, which must be cut alike, are cut
 * before the second one has arrived. A key that has more rows than are good for one device has a
 * range of its own: its rows stay where they are, since they need no sorting and all of them match.
 * A device's keys are cut further into parts, so that the first one leaves for the host while the
 * next ones are sorted.
 *
 * @param bounds the first key of each range but the first, ascending
 * @param heavy whether a range is one such key
 * @param parts the part of each range, by device and key; -1 of heavy ones
 * @param partsEach parts of a device
 */
public record RangeSplitters(long[] bounds, boolean[] heavy, int[] parts, int partsEach) {
  /** Keys looked at of each side: a device's share comes out to within a few percent. */
  private static final int SAMPLE = 1 << 12;

  /** A key is heavy if it has this share of what a device gets of a side. */
  private static final double HEAVY = 1.0 / 8;

  private static final int MOST_HEAVY = 64;

  /** Parts of a device at most. */
  private static final int MOST_PARTS = 8;

  private static final long SEED = 0x5DEECE66DL;

  /** All keys on one device. */
  public static RangeSplitters one() {
    return new RangeSplitters(new long[0], new boolean[] {false}, new int[] {0}, 1);
  }

  public int ranges() {
    return parts.length;
  }

  /** Parts that a device cuts so many rows into. */
  public static int parts(long rows) {
    return (int)
        Math.clamp(rows / EngineSettings.current().exchange().sortPartRows(), 1, MOST_PARTS);
  }

  /**
   * @param rows of a side that devices sort at a time
   */
  public static RangeSplitters of(HostSide left, HostSide right, int devices, long rows) {
    int each = parts(rows / devices);
    if (devices * each == 1) {
      return one();
    }
    long[] ofLeft = sample(left);
    long[] ofRight = sample(right);
    List<HeavyKey> found = new ArrayList<>();
    heavy(ofLeft, devices, found);
    heavy(ofRight, devices, found);
    TreeSet<Long> heavy = new TreeSet<>();
    found.stream()
        .sorted(Comparator.comparingDouble(HeavyKey::share).reversed())
        .limit(MOST_HEAVY)
        .forEach(key -> heavy.add(key.key));
    long[] cuts = cuts(ofLeft, left.rows(), ofRight, right.rows(), heavy, devices * each);
    return of(cuts, heavy, each);
  }

  private record HeavyKey(long key, double share) {}

  private static long[] sample(HostSide side) {
    int count = (int) Math.min(SAMPLE, side.rows());
    boolean all = count == side.rows();
    SplittableRandom random = new SplittableRandom(SEED);
    long[] keys = new long[count];
    int next = 0;
    for (int i = 0; i < count; i++) {
      long row = all ? i : random.nextLong(side.rows());
      if (side.valid(row)) {
        keys[next++] = side.key().get(row);
      }
    }
    long[] sample = Arrays.copyOf(keys, next);
    Arrays.sort(sample);
    return sample;
  }

  private static void heavy(long[] sample, int devices, List<HeavyKey> found) {
    double least = Math.max(2, HEAVY / devices * sample.length);
    for (int i = 0; i < sample.length; ) {
      int end = i;
      while (end < sample.length && sample[end] == sample[i]) {
        end++;
      }
      if (end - i >= least) {
        found.add(new HeavyKey(sample[i], (double) (end - i) / sample.length));
      }
      i = end;
    }
  }

  /** Where one part's keys end and the next one's begin; may repeat. */
  private static long[] cuts(
      long[] left, long leftRows, long[] right, long rightRows, TreeSet<Long> heavy, int parts) {
    double leftWeight = (double) leftRows / Math.max(1, left.length);
    double rightWeight = (double) rightRows / Math.max(1, right.length);
    long[] a = light(left, heavy);
    long[] b = light(right, heavy);
    double total = a.length * leftWeight + b.length * rightWeight;
    List<Long> cuts = new ArrayList<>();
    double passed = 0;
    int i = 0;
    int j = 0;
    while (i < a.length || j < b.length) {
      boolean fromLeft = j == b.length || i < a.length && a[i] <= b[j];
      long key = fromLeft ? a[i++] : b[j++];
      while (cuts.size() < parts - 1 && passed >= total * (cuts.size() + 1) / parts) {
        cuts.add(key);
      }
      passed += fromLeft ? leftWeight : rightWeight;
    }
    return cuts.stream().mapToLong(Long::longValue).toArray();
  }

  private static long[] light(long[] sample, TreeSet<Long> heavy) {
    return Arrays.stream(sample).filter(key -> !heavy.contains(key)).toArray();
  }

  private static RangeSplitters of(long[] cuts, TreeSet<Long> heavyKeys, int each) {
    TreeSet<Long> bounds = new TreeSet<>();
    for (long cut : cuts) {
      bounds.add(cut);
    }
    for (long key : heavyKeys) {
      bounds.add(key);
      if (key < Long.MAX_VALUE) {
        bounds.add(key + 1);
      }
    }
    // The least key begins the first range, which needs no bound.
    boolean least = bounds.remove(Long.MIN_VALUE);
    int ranges = bounds.size() + 1;
    boolean[] heavy = new boolean[ranges];
    int[] parts = new int[ranges];
    heavy[0] = least && heavyKeys.contains(Long.MIN_VALUE);
    parts[0] = heavy[0] ? -1 : part(cuts, Long.MIN_VALUE);
    int range = 1;
    for (long bound : bounds) {
      heavy[range] = heavyKeys.contains(bound);
      parts[range] = heavy[range] ? -1 : part(cuts, bound);
      range++;
    }
    long[] firsts = bounds.stream().mapToLong(Long::longValue).toArray();
    return new RangeSplitters(firsts, heavy, parts, each);
  }

  private static int part(long[] cuts, long key) {
    return (int) Arrays.stream(cuts).filter(cut -> cut <= key).count();
  }

  /** Neighbouring ranges of one part, whose rows lie together when they are sorted. */
  record RangeRun(int first, int end) {}

  /** The runs of each part of a device. */
  List<List<RangeRun>> runs(int device) {
    List<List<RangeRun>> all = new ArrayList<>();
    for (int part = device * partsEach; part < (device + 1) * partsEach; part++) {
      all.add(runsOf(part));
    }
    return all;
  }

  private List<RangeRun> runsOf(int part) {
    List<RangeRun> runs = new ArrayList<>();
    for (int i = 0; i < parts.length; ) {
      int end = i + 1;
      if (parts[i] == part) {
        while (end < parts.length && parts[end] == part) {
          end++;
        }
        runs.add(new RangeRun(i, end));
      }
      i = end;
    }
    return runs;
  }
}
