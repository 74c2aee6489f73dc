package io.aragonite.exec.cost;

import io.aragonite.exec.cost.JoinPrice.Payload;
import io.aragonite.exec.cost.JoinShape.JoinSideShape;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;

/** Prices of joins on a device whose threads are many and whose repeated keys are sorted: a GPU. */
final class DeviceJoinCosts extends JoinCosts {
  // What has no figure of its own in a profile, over what it goes with: of partitioned joins fitted
  // to 391 points of bench choice on an H200 (seeds 3 and 4), of tables and their lists to 200
  // points of joins as queries run them.

  /** Writing a row's payload where its key says, over an insert into a partition's table. */
  private static final double DIRECT_FILL = 1.18;

  /** Fetching it from there, over a visit to the cache. */
  private static final double DIRECT_FETCH = 0.475;

  /** A row of either side in a partition's own table, over the same. */
  private static final double OWN_BUILD = 1.15;

  private static final double OWN_PROBE = 0.88;

  /** Steps that tables of partitions take beside. */
  private static final int OWN_STEPS = 36;

  /** Steps of sorting repeated keys. */
  private static final int GROUP_STEPS = 6;

  /** A pass over words of eight bytes and row numbers, over one over words of four. */
  private static final double WIDE_PASS = 1.3;

  /** Passes that sorting ascending words of an array takes, over those of any words. */
  private static final double ASCENDING_PASSES = 0.5;

  /** An array's used entries are counted, by a pass that only reads. */
  private static final double COUNTED = 0.5;

  /** A further slot that a search looks at, over the first: it is often in the same sector. */
  private static final double FURTHER_SLOT = 0.18;

  /**
   * Bytes of a probe row beside those of unique keys: how many partners it has, and where their
   * list begins, are written, summed and read.
   */
  private static final int LIST_BYTES = 10;

  /** Rows of a batch, and pairs of a piece of the output at most. */
  private static final double BATCH_ROWS = 1 << 26;

  /** Launches that a column of a piece takes: some columns are gathered together. */
  private static final double COLUMN_LAUNCHES = 0.8;

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

  @Override
  double start() {
    return 0; // launches and waits are priced where they are
  }

  @Override
  double pieces(JoinShape s, int columns) {
    double pieces = Math.ceil(Math.max(s.outRows(), s.probe().rows()) / BATCH_ROWS);
    double each = columns * COLUMN_LAUNCHES * device.startNanos() + device.steps(0, 1);
    return Math.max(1, pieces) * each;
  }

  @Override
  JoinPrice nonPartitioned(JoinShape s) {
    double build = s.build().rows();
    double words = s.streamed() ? 2 * WORD * build : 0;
    DeviceTable table = new DeviceTable(s);
    double counted = table.dense() ? COUNTED * table.bytes() : 0;
    double insert =
        device.sequential(words + 2 * s.wordBytes() * build + table.filled() + counted)
            + inserted(s, table)
            + device.steps(3, 2);
    double match = probe(s, table, table.bytes());
    double rows = s.outRows();
    JoinSideShape payload = s.build();
    boolean bothSorted = payload.sorted() && s.probe().sorted();
    double materialize =
        (bothSorted ? 0 : fetched(s, payload.columnBytes() * build))
            + device.sequential(rows * (payload.columns() * ID + payload.bytes()))
            + fromProbe(s, false)
            + pieces(s, payload.columns() + s.probe().columns());
    double bytes = (s.streamed() ? build * WORD : 0) + table.filled() + 2 * ID * s.probe().rows();
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
    DeviceTable table = new DeviceTable(s);
    Phases phases = carry && direct(s, table) ? direct(s, s.build()) : overTable(s, table, carry);
    if (carry && own(s, table)) {
      Phases tables = ownTables(s);
      phases = tables.nanos() < phases.nanos() ? tables : phases;
    }
    double build = s.build().rows();
    double collect = s.streamed() || !carry ? collected(s.build(), 2) + collected(s.probe(), 3) : 0;
    double kept = (s.wordBytes() + (carry ? s.build().bytes() : ID)) * build;
    kept += (s.wordBytes() + (carry ? s.probe().bytes() : ID)) * s.probe().rows();
    double bytes = kept + table.filled() + 2 * ID * s.probe().rows();
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
  private boolean direct(JoinShape s, DeviceTable table) {
    JoinSideShape payload = s.build();
    return !s.repeats()
        && table.dense()
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
  private static boolean own(JoinShape s, DeviceTable table) {
    return !s.repeats() && !table.dense() && ownBits(s) <= OWN_BITS;
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
  private Phases overTable(JoinShape s, DeviceTable table, boolean carry) {
    double build = s.build().rows();
    // Keys beyond the range of a table by direct address are one partition.
    double strays = table.dense() ? s.probe().rows() * (1 - within(s)) : 0;
    double transform =
        device.sequential(s.wordBytes() * build)
            + transformed(s, s.build(), carry)
            + transformed(s, s.probe(), carry)
            + strays * device.strayNanos()
            + device.steps(10, 1);
    // What a partition visits stays in cache, whatever the keys' frequencies are.
    double insert =
        s.repeats()
            ? grouped(s, table)
            : build * (device.insertPartNanos() + (table.dense() ? 0 : device.mixedPartNanos()));
    double match =
        device.sequential(2 * s.wordBytes() * build + table.filled())
            + insert
            + probe(s, table, inCache(table.bytes()))
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
      double parts = device.partitions(table.bytes() + ID * build);
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

  /**
   * Sorting rows with repeated keys, and putting each of their words in a table, in their order.
   */
  private double grouped(JoinShape s, DeviceTable table) {
    boolean dense = table.dense();
    double passes =
        table.sortPasses()
            * (s.build().sorted() && dense ? ASCENDING_PASSES : 1)
            * (table.wide() ? WIDE_PASS : 1);
    // Ascending words have ascending entries in an array, and slots anywhere.
    double placed =
        dense
            ? s.distinct() * device.insertOrderedNanos()
            : s.distinct() * device.mixedInsertNanos()
                + device.insert(s.distinct(), table.bytes())
                - s.distinct() * device.insertHitNanos();
    return device.group(s.build().rows(), passes) + placed + device.steps(GROUP_STEPS, 1);
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
  private double inserted(JoinShape s, DeviceTable table) {
    double rows = s.build().rows();
    if (s.repeats()) {
      return grouped(s, table);
    }
    if (!table.dense()) {
      return device.insert(rows, table.bytes()) + rows * device.mixedInsertNanos();
    }
    // Ascending keys have ascending places.
    return s.build().sorted()
        ? rows * device.insertOrderedNanos()
        : device.insert(rows, table.bytes());
  }

  /**
   * Looking the probe rows' words up in a table, and writing pairs.
   *
   * @param space bytes of the table that words are looked up in at a time
   */
  private double probe(JoinShape s, DeviceTable table, double space) {
    double rows = s.probe().rows();
    boolean dense = table.dense();
    boolean sorted = s.probe().sorted();
    double words = (s.streamed() ? 2.0 * WORD : s.wordBytes()) * rows;
    double matching = rows * Math.min(1, s.matchRatio());
    // Equal keys of a sorted side follow each other, and ascending ones have ascending entries.
    double found = !sorted ? matching : dense ? 0 : Math.min(matching, s.distinct());
    // Keys outside the range of an array are known not to be there; a search among slots for a word
    // that is not there goes on until a free one.
    double missed =
        dense
            ? sorted ? 0 : rows * within(s) - matching
            : (rows - matching) * (1 + FURTHER_SLOT * (table.missLength() - 1));
    double more = rows * (device.nearNanos() + (dense ? 0 : device.mixedProbeNanos()));
    if (s.repeats()) {
      // Where a key's list begins, and its rows. Lists are in the order of words, which is that of
      // partitions in an array alone.
      double lists = dense ? space : table.bytes();
      more +=
          2 * device.random(found, lists, s.skew())
              + s.outRows() * device.expandNanos()
              + device.sequential(LIST_BYTES * rows);
    }
    return device.sequential(words + 2 * ID * s.outRows())
        + device.random(found + missed, space, s.skew())
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
