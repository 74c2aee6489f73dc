package io.aragonite.exec.cost;

import io.aragonite.exec.cost.JoinPrice.Payload;
import io.aragonite.exec.cost.JoinShape.JoinSideShape;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;

/** Prices of joins on a device whose threads are many and whose repeated keys are sorted: a GPU. */
final class DeviceJoinCosts extends JoinCosts {
  // What has no figure of its own in a profile, over what it goes with: fitted to 391 points of
  // bench choice on an H200 (seeds 3 and 4).

  /** Writing a row's payload where its key says, over an insert into a partition's table. */
  private static final double DIRECT_FILL = 1.18;

  /** Fetching it from there, over a visit to the cache. */
  private static final double DIRECT_FETCH = 0.475;

  /** A row of either side in a partition's own table, over the same. */
  private static final double OWN_BUILD = 1.15;

  private static final double OWN_PROBE = 0.88;

  /** Steps that tables of partitions take beside. */
  private static final int OWN_STEPS = 36;

  /** Steps of sorting repeated keys, and what mixing theirs takes over that of unique ones. */
  private static final int GROUP_STEPS = 8;

  private static final double GROUP_MIXED = 1.56;

  /** Bytes of payload that fit a place where a key says. */
  private static final double DIRECT_BYTES = 16;

  /** Rows of a partition with a table of its own, and bits to partition by: at most, in a pass. */
  private static final double OWN_ROWS = 4096;

  private static final int OWN_BITS = 16;

  private static final int PASS_BITS = 8;

  DeviceJoinCosts(MachineProfile device) {
    super(device);
  }

  private static int unsorted(JoinShape s) {
    return (s.build().sorted() ? 0 : 1) + (s.probe().sorted() ? 0 : 1);
  }

  /** Bits of the words that a sort must look at. */
  private static double bits(JoinShape s) {
    return s.dense() ? Math.log(Math.max(2, s.keyRange())) / Math.log(2) : 8.0 * s.wordBytes();
  }

  @Override
  double start() {
    return 0; // launches and waits are priced where they are
  }

  @Override
  JoinPrice nonPartitioned(JoinShape s) {
    double build = s.build().rows();
    double words = s.streamed() ? 2 * WORD * build : 0;
    double insert =
        device.sequential(words + 2 * s.wordBytes() * build + s.tableBytes())
            + inserted(s)
            + device.steps(5, 2);
    double match = probe(s, s.tableBytes());
    double rows = s.outRows();
    JoinSideShape payload = s.build();
    boolean bothSorted = payload.sorted() && s.probe().sorted();
    double materialize =
        (bothSorted ? 0 : fetched(s, payload.columnBytes() * build))
            + device.sequential(rows * (payload.columns() * ID + payload.bytes()))
            + fromProbe(s, false)
            + pieces(s, payload.columns() + s.probe().columns());
    double bytes = (s.streamed() ? build * WORD : 0) + s.tableBytes() + 2 * ID * s.probe().rows();
    return price(
        JoinAlgorithm.NON_PARTITIONED_HASH,
        Payload.GFUR,
        s.streamed() ? collected(s.build(), 2) : 0,
        insert,
        match,
        materialize,
        bytes);
  }

  /** Time by phase. */
  private record Phases(double transform, double match, double materialize) {
    double nanos() {
      return transform + match + materialize;
    }
  }

  @Override
  JoinPrice partitioned(JoinShape s, Payload how) {
    boolean carry = how == Payload.GFTR;
    Phases phases = carry && direct(s) ? direct(s, s.build()) : overTable(s, carry);
    if (carry && own(s)) {
      Phases tables = ownTables(s);
      phases = tables.nanos() < phases.nanos() ? tables : phases;
    }
    double build = s.build().rows();
    double collect = s.streamed() || !carry ? collected(s.build(), 2) + collected(s.probe(), 3) : 0;
    double kept = (s.wordBytes() + (carry ? s.build().bytes() : ID)) * build;
    kept += (s.wordBytes() + (carry ? s.probe().bytes() : ID)) * s.probe().rows();
    double bytes = kept + s.tableBytes() + 2 * ID * s.probe().rows();
    return price(
        carry ? JoinAlgorithm.PARTITIONED_HASH : JoinAlgorithm.PARTITIONED_HASH_UM,
        how,
        collect,
        phases.transform,
        phases.match,
        phases.materialize,
        bytes);
  }

  /** Whether payload can lie where unique dense keys say, each probe row having a partner. */
  private boolean direct(JoinShape s) {
    JoinSideShape payload = s.build();
    return !s.repeats()
        && s.dense()
        && allMatch(s)
        && payload.columns() > 0
        && payload.gathered() == 0
        && payload.bytes() <= DIRECT_BYTES
        && JoinModel.directPays(device, s.probe().rows(), payload.columns())
        && s.keyRange() < 2 * payload.rows();
  }

  private static boolean allMatch(JoinShape s) {
    return s.matchRatio() > 0.999;
  }

  private Phases direct(JoinShape s, JoinSideShape payload) {
    double build = payload.rows();
    double probe = s.probe().rows();
    double place = payload.bytes() <= WORD ? payload.bytes() : DIRECT_BYTES;
    double transform =
        device.sequential(s.wordBytes() * build)
            + transformed(s, payload, true)
            + transformed(s, s.probe(), true)
            + device.sequential((s.wordBytes() + payload.bytes()) * build + place * s.keyRange())
            + build * DIRECT_FILL * device.insertPartNanos()
            + device.steps(12, 3);
    double match =
        device.sequential(probe * (s.wordBytes() + payload.bytes()))
            + probe * DIRECT_FETCH * device.hitNanos()
            + device.steps(3, 1);
    return new Phases(transform, match, 0);
  }

  /** Whether partitions can have tables of their own: of unique words that must be mixed. */
  private static boolean own(JoinShape s) {
    return !s.repeats() && !s.dense() && ownBits(s) <= OWN_BITS;
  }

  private static double ownBits(JoinShape s) {
    return Math.max(1, Math.ceil(Math.log(s.build().rows() / OWN_ROWS) / Math.log(2)));
  }

  private Phases ownTables(JoinShape s) {
    JoinSideShape build = s.build();
    JoinSideShape probe = s.probe();
    int passes = ownBits(s) > PASS_BITS ? 2 : 1;
    double rows = build.rows() + probe.rows();
    double words = s.streamed() ? device.sequential(2.0 * WORD * rows) : 0;
    double transform =
        words
            + device.sequential(s.wordBytes() * (build.rows() + rows))
            + passes
                * (device.partition(build.rows(), s.wordBytes() + build.bytes())
                    + device.partition(probe.rows(), s.wordBytes() + probe.bytes())
                    + device.steps(10, 1));
    double match =
        device.sequential(s.wordBytes() * rows + ID * probe.rows())
            + build.rows() * OWN_BUILD * device.hitNanos()
            + probe.rows() * OWN_PROBE * device.hitNanos()
            + device.steps(OWN_STEPS, 4);
    double out = s.outRows();
    double materialize =
        allMatch(s)
            ? device.sequential(2 * out * build.bytes())
            : device.sequential(
                    (2 * ID + s.wordBytes()) * probe.rows()
                        + out * (build.columns() * ID + 2 * build.bytes()))
                + fetched(s, inCache(build.columnBytes() * build.rows())) / 2
                + fromProbe(s, false)
                + device.steps(6, 2);
    return new Phases(transform, match, materialize);
  }

  /** One table over all partitions. */
  private Phases overTable(JoinShape s, boolean carry) {
    double build = s.build().rows();
    // Keys beyond the range of a table by direct address are one partition.
    double strays = s.dense() ? s.probe().rows() * (1 - within(s)) : 0;
    double transform =
        device.sequential(s.wordBytes() * build)
            + transformed(s, s.build(), carry)
            + transformed(s, s.probe(), carry)
            + strays * device.strayNanos()
            + device.steps(10, 1);
    // What a partition visits stays in cache, whatever the keys' frequencies are.
    double insert =
        s.repeats()
            ? grouped(s, s.build().sorted() && s.dense())
            : build * (device.insertPartNanos() + (s.dense() ? 0 : device.mixedPartNanos()));
    double match =
        device.sequential(2 * s.wordBytes() * build + s.tableBytes())
            + insert
            + probe(s, inCache(s.tableBytes()))
            + device.steps(4, 2);
    double rows = s.outRows();
    JoinSideShape payload = s.build();
    double space = payload.columnBytes() * payload.rows();
    double materialize;
    if (carry) {
      // Where each probe row has one partner, payload is fetched as it is found, without numbers.
      double ids = !s.repeats() && allMatch(s) ? 0 : payload.columns() * ID;
      materialize =
          fetched(s, inCache(space)) / 2
              + device.sequential(rows * (ids + 2 * payload.bytes()))
              + fromProbe(s, true);
    } else {
      double other = s.probe().columnBytes() * s.probe().rows();
      // Rows of frequent keys fill partitions of their own, so that some of theirs follow each
      // other: by how many was fitted to joins by Zipf's law with an exponent of 1.5.
      double parts = device.partitions(s.tableBytes() + ID * build);
      double spread = rows * (1 - 0.3 * s.skew().share(parts));
      materialize =
          fetched(s, space)
              + s.probe().columns()
                  * device.strided(spread, Math.max(1, s.probe().columnBytes()), parts, other)
              + device.sequential(
                  rows
                      * (ID * (payload.columns() + s.probe().columns() + 3.0)
                          + payload.bytes()
                          + s.probe().bytes()));
    }
    materialize += pieces(s, payload.columns() + s.probe().columns());
    return new Phases(transform, match, materialize);
  }

  /** Putting rows with repeated keys in a table, which sorts them. */
  private double grouped(JoinShape s, boolean sorted) {
    double rows = s.build().rows();
    return device.group(rows, bits(s), sorted)
        + (s.dense() ? 0 : rows * GROUP_MIXED * device.mixedInsertNanos())
        + device.steps(GROUP_STEPS, 1);
  }

  private static double within(JoinShape s) {
    return Math.clamp(s.within(), Math.min(1, s.matchRatio()), 1);
  }

  @Override
  JoinPrice sortMerge(JoinShape s, Payload how) {
    boolean carry = how == Payload.GFTR;
    double build = s.build().rows();
    double probe = s.probe().rows();
    double transform =
        sorted(s, s.build(), carry)
            + sorted(s, s.probe(), carry)
            + device.steps(4 + 8 * unsorted(s), 2);
    double match =
        device.sequential(probe * (WORD + 4 * ID) + WORD * build + 2 * ID * s.outRows())
            + Math.min(build, probe) * device.mergeNanos()
            + s.outRows() * device.expandNanos()
            + device.steps(6, 2);
    JoinSideShape payload = s.build();
    double bytesOut = payload.bytes() + s.probe().bytes();
    double columns = payload.columns() + s.probe().columns();
    double gathered =
        carry
            ? 0
            : (payload.sorted() ? 0 : fetched(s, payload.columnBytes() * build))
                + (s.probe().sorted()
                    ? 0
                    : s.probe().columns()
                        * device.random(
                            Math.min(s.outRows(), probe * s.matchRatio()),
                            s.probe().columnBytes() * probe,
                            Skew.none(1e9)));
    double materialize =
        gathered
            + device.sequential(s.outRows() * (ID * (columns + 2) + 2 * bytesOut))
            + pieces(s, payload.columns() + s.probe().columns() + 2);
    double rows = build + probe;
    double bytes =
        2 * (WORD + ID) * rows + (carry ? payload.bytes() * build + s.probe().bytes() * probe : 0);
    double collect = collected(s.build(), 2) + collected(s.probe(), 3);
    return price(
        carry ? JoinAlgorithm.SORT_MERGE : JoinAlgorithm.SORT_MERGE_UM,
        how,
        collect,
        transform,
        match,
        materialize,
        bytes);
  }

  /** Putting the build side's rows in a table over all of them. */
  private double inserted(JoinShape s) {
    double rows = s.build().rows();
    if (s.repeats()) {
      return grouped(s, s.build().sorted());
    }
    if (!s.dense()) {
      return device.insert(rows, s.tableBytes()) + rows * device.mixedInsertNanos();
    }
    // Ascending keys have ascending places.
    return s.build().sorted()
        ? rows * device.insertOrderedNanos()
        : device.insert(rows, s.tableBytes());
  }

  /** Looking the probe rows' words up in a table of some size, and writing pairs. */
  private double probe(JoinShape s, double tableBytes) {
    double rows = s.probe().rows();
    double words = (s.streamed() ? 2.0 * WORD : s.wordBytes()) * rows;
    double matching = rows * Math.min(1, s.matchRatio());
    // Keys outside the range of a table by direct address are known not to be there.
    double visits = s.dense() ? rows * within(s) : rows;
    if (s.probe().sorted()) {
      // Equal keys follow each other, and ascending ones have ascending places.
      visits = s.dense() ? 0 : Math.min(visits, s.distinct() + rows - matching);
      matching = s.dense() ? 0 : Math.min(matching, s.distinct());
    }
    double more = rows * (device.nearNanos() + (s.dense() ? 0 : device.mixedProbeNanos()));
    if (s.repeats()) {
      // The list of a key's rows: where it begins, and its rows.
      more +=
          2 * device.random(matching, tableBytes, s.skew()) + s.outRows() * device.expandNanos();
    }
    return device.sequential(words + 2 * ID * s.outRows())
        + device.random(visits, tableBytes, s.skew())
        + more
        + device.steps(3, 1);
  }

  /**
   * The build side's columns for all pairs, whose rows are visited as probe rows visit keys: once
   * each where the probe side is sorted, and one behind the other those of a key where the build
   * side is.
   *
   * @param space bytes that a column's values are in
   */
  private double fetched(JoinShape s, double space) {
    double visits = s.outRows();
    if (s.probe().sorted()) {
      visits = Math.min(visits, s.build().rows());
    }
    if (s.build().sorted()) {
      visits = Math.min(visits, s.probe().rows() * Math.min(1, s.matchRatio()));
    }
    double copies = s.repeats() ? s.build().rows() / Math.max(1, s.distinct()) : 1;
    return s.build().columns() * device.randomRows(visits, space, s.skew(), copies, 1);
  }

  /**
   * The probe side's columns come out in their own order: near each other, the sparser the less.
   */
  private double fromProbe(JoinShape s, boolean own) {
    double rows = s.probe().rows();
    double kept = Math.min(1, s.matchRatio());
    boolean all = kept > 0.999 && !s.repeats();
    double columns = s.probe().columns();
    double bytes = s.probe().bytes();
    if (columns == 0 || all && own) {
      return 0;
    }
    double inSector = Math.max(1, device.sectorBytes() * columns / Math.max(1, bytes));
    double touched = 1 - Math.pow(1 - kept, inSector);
    double ids = all ? 0 : columns * ID * s.outRows();
    return device.sequential(bytes * rows * touched + ids + bytes * s.outRows());
  }

  private double transformed(JoinShape s, JoinSideShape side, boolean carry) {
    boolean computed = s.streamed() || !carry;
    double word = computed ? WORD : s.wordBytes();
    double moved = word + (carry ? side.bytes() : ID);
    double count = device.sequential(word * side.rows());
    double ids = carry && side.gathered() == 0 ? 0 : device.sequential(2.0 * ID * side.rows());
    double gathered =
        carry
            ? side.gathered()
                * device.random(
                    side.rows(), side.columnBytes() * side.rows(), Skew.none(side.rows()))
            : 0;
    double words = computed ? device.sequential(2.0 * WORD * side.rows()) : 0;
    return words + count + ids + gathered + device.partition(side.rows(), moved);
  }

  private double sorted(JoinShape s, JoinSideShape side, boolean carry) {
    // The key is copied with the other columns, its words are made, and looked at once more.
    double words = device.sequential((3.0 * s.wordBytes() + 3 * WORD) * side.rows());
    if (side.sorted()) {
      return words;
    }
    // Digits that all words share are left out by the sort.
    double bits =
        Math.min(8.0 * s.wordBytes(), Math.log(Math.max(2, s.keyRange())) / Math.log(2) + 1);
    double sort = words + side.rows() * device.sortRowNanos() * Math.ceil(bits / 8);
    if (!carry) {
      return sort;
    }
    double space = side.columnBytes() * side.rows();
    return sort
        + side.columns() * device.random(side.rows(), space, Skew.none(side.rows()))
        + device.sequential(side.rows() * (side.columns() * ID + side.bytes()));
  }

  private double inCache(double bytes) {
    return Math.min(bytes, device.cacheBytes());
  }
}
