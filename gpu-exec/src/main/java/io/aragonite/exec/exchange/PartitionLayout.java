package io.aragonite.exec.exchange;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where rows of a side of a join lie that devices bring each other in partitions of its keys: among
 * what each of them sends, and on the device where they are joined. Devices partition their rows in
 * chunks, the first of which travels while the next one is partitioned. On a device rows lie in
 * runs of a chunk of another device, or of its own, each partition behind the other.
 */
final class PartitionLayout {
  /**
   * Slices that a device's partitions come in: while one travels, one before it is looked at.
   * Chunks before a device's last one travel whole, since the last one is waited for anyway.
   */
  static final int SLICES = 4;

  /** A chunk of a device. */
  record DeviceChunk(int device, int chunk) {}

  private final int me;
  private final int[] firsts;
  private final int all;
  private final BitSet frequent;
  private final List<int[][]> sizes;

  /** Whether frequent partitions stay; else they go everywhere. */
  final boolean stays;

  /** The own ones first, and those of a device in the order of its chunks. */
  final List<DeviceChunk> runs = new ArrayList<>();

  /**
   * Where the device's partitions begin, and the last one ends, among its rows: of each slice and
   * run. Partitions of other slices, and frequent ones, are empty.
   */
  final int[][][] starts = new int[SLICES][][];

  /** The same of runs that travel whole; null: slices of others. */
  final int[] @Nullable [] whole;

  /**
   * Where partitions begin, and the last one ends, behind all slices: frequent ones; others are
   * empty. Of the device's own runs if they stay, of each run if they go everywhere; none if there
   * are no such partitions.
   */
  final int[][] others;

  /** All rows of the device: no more than a batch has. */
  final int total;

  /**
   * @param me the device
   * @param firsts the first partition of each device, and how many there are
   * @param bits that number partitions
   * @param frequent partitions that are no device's
   * @param stays whether frequent partitions stay where they are; else they go everywhere
   * @param sizes of each device and chunk the rows of each partition
   */
  PartitionLayout(
      int me, int[] firsts, int bits, BitSet frequent, boolean stays, List<int[][]> sizes) {
    this.me = me;
    this.firsts = firsts;
    this.all = 1 << bits;
    this.frequent = frequent;
    this.stays = stays;
    this.sizes = sizes;
    for (int k = 0; k < sizes.size(); k++) {
      int from = (me + k) % sizes.size();
      for (int chunk = 0; chunk < sizes.get(from).length; chunk++) {
        runs.add(new DeviceChunk(from, chunk));
      }
    }
    whole = new int[runs.size()][];
    int at = 0;
    for (int r = 0; r < runs.size(); r++) {
      if (runs.get(r).chunk < sizes.get(runs.get(r).device).length - 1) {
        int[] places = new int[partitions() + 1];
        at = lay(places, 0, partitions(), runs.get(r), at);
        whole[r] = places;
      }
    }
    for (int slice = 0; slice < SLICES; slice++) {
      starts[slice] = new int[runs.size()][partitions() + 1];
      for (int r = 0; r < runs.size(); r++) {
        int[] together = whole[r];
        int[] some = starts[slice][r];
        if (together == null) {
          at = lay(some, begin(slice), begin(slice + 1), runs.get(r), at);
        } else {
          for (int p = 0; p <= partitions(); p++) {
            some[p] = together[Math.clamp(p, begin(slice), begin(slice + 1))];
          }
        }
      }
    }
    int often = frequent.isEmpty() ? 0 : stays ? chunks() : runs.size();
    others = new int[often][all + 1];
    for (int r = 0; r < often; r++) {
      for (int p = 0; p < all; p++) {
        others[r][p] = at;
        at += frequent.get(p) ? rows(runs.get(r), p) : 0;
      }
      others[r][all] = at;
    }
    total = at;
  }

  private int rows(DeviceChunk run, int partition) {
    return sizes.get(run.device)[run.chunk][partition];
  }

  /** Rows of something that lies partition by partition. */
  static int rows(int[] starts) {
    return starts[starts.length - 1] - starts[0];
  }

  private int partitions() {
    return firsts[me + 1] - firsts[me];
  }

  private int begin(int slice) {
    return partitions() * slice / SLICES;
  }

  /** The first partition of a slice that is not frequent. */
  int start(int slice) {
    return frequent.nextClearBit(firsts[me] + begin(slice));
  }

  /**
   * Has a run's rows of some of the device's partitions lie behind each other.
   *
   * @param starts gets where each of the device's partitions begins, and the last one ends
   * @param from where the first of them lies
   * @return where the last one ends
   */
  private int lay(int[] starts, int begin, int end, DeviceChunk run, int from) {
    int at = from;
    for (int p = 0; p < partitions(); p++) {
      starts[p] = at;
      int partition = firsts[me] + p;
      at += p >= begin && p < end && !frequent.get(partition) ? rows(run, partition) : 0;
    }
    starts[partitions()] = at;
    return at;
  }

  /** Chunks of the device itself. */
  int chunks() {
    return sizes.get(me).length;
  }

  /** Chunks of any device at most, but for its last one. */
  int chunksBefore() {
    return sizes.stream().mapToInt(chunks -> chunks.length - 1).max().orElse(0);
  }

  /** Rows of a chunk of the device itself. */
  int rows(int chunk) {
    return Arrays.stream(sizes.get(me)[chunk]).sum();
  }

  /** Partitions whose rows a device does not send, but has where it joins them. */
  BitSet kept(int device) {
    BitSet kept = new BitSet();
    kept.set(firsts[device], firsts[device + 1]);
    if (stays) {
      kept.or(frequent);
    } else {
      kept.andNot(frequent);
    }
    return kept;
  }

  /** Rows that the device sends. */
  int sent() {
    return outgoing(new DeviceChunk(me, chunks() - 1))[all];
  }

  /**
   * Where partitions of a device's chunk lie among what it sends, chunk behind chunk, and frequent
   * partitions of a chunk behind others; and where the chunk ends.
   */
  int[] outgoing(DeviceChunk run) {
    BitSet kept = kept(run.device);
    int[] places = new int[all + 1];
    int at = run.chunk == 0 ? 0 : outgoing(new DeviceChunk(run.device, run.chunk - 1))[all];
    for (boolean often : new boolean[] {false, true}) {
      for (int p = 0; p < all; p++) {
        if (frequent.get(p) == often) {
          places[p] = at;
          at += kept.get(p) ? 0 : rows(run, p);
        }
      }
    }
    places[all] = at;
    return places;
  }

  /**
   * Where partitions of a chunk of the device itself go: what it sends as {@link #outgoing} says,
   * the rest among all of its rows.
   */
  int[] places(int chunk) {
    int[] places = outgoing(runs.get(chunk));
    for (int slice = 0; slice < SLICES; slice++) {
      for (int p = begin(slice); p < begin(slice + 1); p++) {
        int partition = firsts[me] + p;
        places[partition] = frequent.get(partition) ? places[partition] : starts[slice][chunk][p];
      }
    }
    for (int p = frequent.nextSetBit(0); stays && p >= 0; p = frequent.nextSetBit(p + 1)) {
      places[p] = others[chunk][p];
    }
    return places;
  }

  /** The slice of the device's own runs that has the most rows. */
  int[] mostOwn() {
    int[] most = starts[0][0];
    for (int[][] slice : starts) {
      for (int chunk = 0; chunk < chunks(); chunk++) {
        most = rows(slice[chunk]) > rows(most) ? slice[chunk] : most;
      }
    }
    return most;
  }
}
