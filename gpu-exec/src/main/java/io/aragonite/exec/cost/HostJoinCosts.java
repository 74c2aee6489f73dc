package io.aragonite.exec.cost;

import io.aragonite.exec.cost.JoinPrice.Payload;
import io.aragonite.exec.cost.JoinShape.JoinSideShape;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;

/**
 * Prices of joins on the cores of a host: what an instruction takes counts beside memory, tables
 * are of three kinds by the range of the keys (a place a key, a bit a key, slots found by hash),
 * rows of a repeated key are listed by counting, and new memory is dear.
 *
 * <p>The constants are fitted to 522 points of {@code bench choice --clock processor --threads 1},
 * seeds 32, 41 and 42 on one core of an AMD EPYC, each candidate's time, with the figures of {@link
 * MachineProfile#CORE} as they are.
 */
final class HostJoinCosts extends JoinCosts {
  /** Tables have a place for each key of up to so many for each row, and always of so many. */
  private static final double DIRECT_FACTOR = 2;

  private static final double DIRECT_SMALL = 1 << 14;

  /** And a bit for each key of up to so many. */
  private static final double RANK_FACTOR = 128;

  private static final double RANK_SMALL = 1 << 23;

  private static final double SLOT = 16;

  /** What one partition visits, at most 256 of them. */
  private static final double PART_BYTES = 1 << 19;

  private static final int MOST_PARTS = 256;

  /** Of a visit's price where the keys ascend: lines are visited one after the other. */
  private static final double ASCENDING = 0.42;

  /** What of visits is saved where they ascend with gaps, by the cube root of the gap. */
  private static final double STRIDED = 0.31;

  /** What more a value takes in a partition pass over what no cache holds. */
  private static final double FAR = 0.92;

  /** A row that is gathered, over a visit to a table: two addresses depend on each other. */
  private static final double GATHERED = 2.43;

  /** A branch that goes either way, over a search, where lists are empty or not. */
  private static final double BRANCH = 0.84;

  /** Such branches where equal keys follow each other. */
  private static final double SELDOM = 0.39;

  /** Of the words that find no partner in a table, those that meet another word count fully. */
  private static final double DISPLACED = 0.3;

  /**
   * A visit to a slot found by hash, over one to a place that the key says: its loop has more
   * instructions, so that a core has fewer lines of memory in flight.
   */
  private static final double HASHED = 3.43;

  /** A word without a partner, whose search goes on until a free slot, over one that is found. */
  private static final double MISSED = 2.24;

  /** What of the cache gathers find their own, over tables, beside whose probes more streams by. */
  private static final double GATHER_CACHE = 0.78;

  /** Rows of a partition that has a table of its own. */
  private static final double OWN_ROWS = 1 << 14;

  /** A lookup in such a table over a row put in, and what more one takes that finds nothing. */
  private static final double OWN_PROBE = 0.98;

  private static final double OWN_MISS = 0.17;

  /** A value that is fetched from such a partition as its row is found, over making it. */
  private static final double OWN_FETCH = 2.45;

  /** Nanoseconds of a word that is made of a key to be merged. */
  private static final double KEY_WORD = 1.76;

  HostJoinCosts(MachineProfile device) {
    super(device);
  }

  /** The table of a join's build side. */
  private final class Table {
    final JoinShape s;
    final double parts;
    final boolean direct;
    final boolean ranked;

    /** Bytes of entries, of those among them that are visited, and of bits. */
    final double entries;

    final double visited;
    final double bits;

    /** How full slots are. */
    final double load;

    Table(JoinShape s, double parts) {
      this.s = s;
      this.parts = parts;
      double rows = s.build().rows();
      double range = Math.max(1, s.keyRange());
      direct = range <= Math.max(DIRECT_SMALL, DIRECT_FACTOR * rows);
      ranked = !direct && range <= Math.max(RANK_SMALL, RANK_FACTOR * rows);
      double slots = Math.pow(2, Math.ceil(Math.log(Math.max(2, 2 * rows)) / Math.log(2)));
      double distinct = Math.max(1, s.distinct());
      entries = direct ? 4 * range : ranked ? 4 * distinct : SLOT * slots;
      visited = direct || ranked ? entries : Math.min(entries, device.sectorBytes() * distinct);
      bits = ranked ? range / 4 : 0;
      load = Math.min(1, distinct / slots);
    }

    private double visit(double visits, double bytes, Skew skew, boolean ascending) {
      double each = direct || ranked ? 1 : HASHED;
      return device.random(visits, bytes / parts, skew) * (ascending ? ASCENDING : 1) * each
          + cold(visits, bytes, ascending);
    }

    /** What slots of partitions take that are visited for the first time since they were made. */
    private double cold(double visits, double bytes, boolean ascending) {
      if (parts <= 1 || direct || ranked || ascending) {
        return 0;
      }
      double lines = Math.max(1, bytes / device.sectorBytes());
      double touched = lines * -Math.expm1(-visits / lines);
      return HASHED * device.random(touched, bytes, Skew.none(1e9));
    }

    double build() {
      double rows = s.build().rows();
      boolean sorted = s.build().sorted();
      Skew any = Skew.none(Math.max(1, s.distinct()));
      double each =
          direct
              ? sorted ? device.insertOrderedNanos() : device.insertHitNanos()
              : ranked
                  ? device.rankInsertNanos()
                  : device.insertHitNanos() + device.mixedInsertNanos();
      double visits =
          ranked
              ? 2 * visit(rows, bits, any, sorted) + visit(rows, entries, any, sorted)
              : visit(rows, visited, any, sorted);
      double nanos =
          device.sequential(2 * WORD * rows + entries + bits)
              + rows * each
              + visits
              + fresh(entries)
              + fresh(bits);
      if (s.repeats()) {
        // Counting, and then putting each row in its list.
        boolean slots = !direct && !ranked;
        double lists = Math.min(ID * rows, device.sectorBytes() * Math.max(1, s.distinct()));
        nanos +=
            rows * device.groupRowNanos() * (slots ? 2 : 1)
                + visits * (slots ? 1 : 2)
                + visit(rows, lists, any, sorted)
                + device.sequential(2 * entries)
                + fresh(ID * rows);
      }
      return nanos;
    }

    double probe() {
      double rows = s.probe().rows();
      double matching = rows * ratio(s);
      boolean sorted = s.probe().sorted();
      Skew skew = s.skew();
      double each =
          direct
              ? 0
              : ranked
                  ? device.rankProbeNanos()
                  : device.mixedProbeNanos()
                      + device.collisionNanos() * load * (1 - (1 - DISPLACED) * ratio(s));
      double visits =
          direct
              ? visit(rows * within(s), entries, skew, sorted)
              : ranked
                  ? visit(rows, bits, skew, sorted) + visit(matching, entries, skew, sorted)
                  : visit(matching, visited, skew, sorted)
                      + MISSED * visit(rows - matching, entries, skew, sorted);
      double nanos = rows * (device.nearNanos() + each) + visits;
      if (s.repeats()) {
        nanos +=
            visit(matching, ID * s.build().rows(), skew, sorted)
                + s.outRows() * device.expandNanos()
                + rows * device.groupRowNanos() / 2
                + rows
                    * device.searchNanos()
                    * BRANCH
                    * 4
                    * ratio(s)
                    * (1 - ratio(s))
                    * (sorted ? SELDOM : 1);
      }
      return nanos + device.sequential(2 * WORD * rows + 2 * ID * s.outRows()) + device.steps(3, 1);
    }
  }

  @Override
  double start() {
    return 13_700;
  }

  /** A piece has as many rows as the larger side at most. */
  @Override
  double pieces(JoinShape s, int columns) {
    double most = Math.max(1, Math.max(s.build().rows(), s.probe().rows()));
    return Math.max(1, s.outRows() / most) * device.steps(columns, 1);
  }

  @Override
  JoinPrice nonPartitioned(JoinShape s) {
    double build = s.build().rows();
    Table table = new Table(s, 1);
    double insert =
        table.build()
            + device.steps(5, 2)
            + device.sequential(2 * WORD * build)
            + fresh(WORD * build);
    boolean bothSorted = s.build().sorted() && s.probe().sorted();
    double materialize =
        (bothSorted ? 0 : fetched(s, 1))
            + values(s, s.build().columns(), s.build().bytes())
            + (all(s) ? 0 : fromProbe(s))
            + pieces(s, s.build().columns() + s.probe().columns());
    double bytes = build * WORD + table.entries + table.bits + 2 * ID * s.probe().rows();
    return price(
        JoinAlgorithm.NON_PARTITIONED_HASH,
        Payload.GFUR,
        s.streamed() ? collected(s.build(), 2) : 0,
        insert,
        table.probe(),
        materialize,
        bytes);
  }

  @Override
  JoinPrice partitioned(JoinShape s, Payload how) {
    boolean carry = how == Payload.GFTR;
    double build = s.build().rows();
    double parts = parts(s, carry ? s.build().bytes() : ID);
    Table table = new Table(s, parts);
    double transform =
        device.sequential(WORD * build)
            + transformed(s, s.build(), carry)
            + transformed(s, s.probe(), carry)
            + device.steps(10, 1);
    boolean own = carry && ownTables(s);
    double match =
        own ? owned(s) + device.steps(7, 3) : table.build() + table.probe() + device.steps(4, 2);
    double materialize;
    if (own && all(s)) {
      materialize =
          OWN_FETCH * s.outRows() * s.build().columns() * device.valueNanos()
              + device.sequential(s.outRows() * s.build().bytes());
    } else if (carry) {
      materialize =
          fetched(s, own ? Math.max(2, s.build().rows() / OWN_ROWS) : parts)
              + values(s, s.build().columns(), s.build().bytes())
              + (all(s) ? 0 : fromProbe(s));
    } else {
      JoinSideShape probe = s.probe();
      double space = probe.columnBytes() * probe.rows();
      double gap = Math.max(1, parts * probe.columnBytes() / device.sectorBytes());
      materialize =
          fetched(s, 1)
              + probe.columns()
                  * device.random(s.outRows(), space, Skew.none(1e9))
                  * Math.min(1, STRIDED * Math.cbrt(gap))
              + values(s, s.build().columns(), s.build().bytes())
              + values(s, probe.columns(), probe.bytes())
              + device.sequential(4 * ID * s.outRows());
    }
    materialize += pieces(s, s.build().columns() + s.probe().columns());
    double tables = own ? 0 : table.entries + table.bits;
    double kept = (WORD + (carry ? s.build().bytes() : ID)) * build;
    kept += (WORD + (carry ? s.probe().bytes() : ID)) * s.probe().rows();
    double bytes = kept + tables + 2 * ID * s.probe().rows();
    return price(
        carry ? JoinAlgorithm.PARTITIONED_HASH : JoinAlgorithm.PARTITIONED_HASH_UM,
        how,
        s.streamed() ? collected(s.build(), 2) + collected(s.probe(), 3) : 0,
        transform,
        match,
        materialize,
        bytes);
  }

  /** Partitions have tables of their own where keys are sparse and none repeats. */
  private static boolean ownTables(JoinShape s) {
    return mixed(s) && !s.repeats() && s.build().rows() <= OWN_ROWS * MOST_PARTS;
  }

  /** Tables of partitions, made and looked up one after the other in a core's own cache. */
  private double owned(JoinShape s) {
    double each = device.mixedPartNanos();
    double probe = s.probe().rows();
    return each * (s.build().rows() + probe * (OWN_PROBE + OWN_MISS * (1 - ratio(s))))
        + device.sequential(WORD * (2 * s.build().rows() + probe) + 2 * ID * s.outRows());
  }

  @Override
  JoinPrice sortMerge(JoinShape s, Payload how) {
    boolean carry = how == Payload.GFTR;
    double build = s.build().rows();
    double probe = s.probe().rows();
    double transform =
        sorted(s, s.build(), carry) + sorted(s, s.probe(), carry) + device.steps(20, 2);
    // A word is looked for from where the last one was found, by doubling steps.
    double steps = Math.log(1 + build / Math.max(1, probe)) / Math.log(2);
    double match =
        device.sequential(
                WORD * probe + WORD * Math.min(build, WORD * probe) + 2 * ID * s.outRows())
            + probe * (device.searchNanos() + ratio(s) * device.mergeNanos() * steps)
            + s.outRows() * device.expandNanos()
            + device.steps(6, 2);
    JoinSideShape payload = s.build();
    double columns = payload.columns() + s.probe().columns();
    double gathered =
        carry
            ? 0
            : (payload.sorted() ? 0 : fetched(s, 1))
                + (s.probe().sorted()
                    ? 0
                    : GATHERED
                        * s.probe().columns()
                        * device.random(
                            Math.min(s.outRows(), probe * ratio(s)),
                            s.probe().columnBytes() * probe,
                            Skew.none(1e9)));
    double materialize =
        gathered
            + values(s, payload.columns(), payload.bytes())
            + values(s, s.probe().columns(), s.probe().bytes())
            + device.sequential(2 * ID * s.outRows())
            + pieces(s, (int) columns + 2);
    double bytes =
        2 * (WORD + ID) * (build + probe)
            + (carry ? payload.bytes() * build + s.probe().bytes() * probe : 0);
    return price(
        carry ? JoinAlgorithm.SORT_MERGE : JoinAlgorithm.SORT_MERGE_UM,
        how,
        s.streamed() ? collected(s.build(), 2) + collected(s.probe(), 3) : 0,
        transform,
        match,
        materialize,
        bytes);
  }

  private static double within(JoinShape s) {
    return Math.clamp(s.within(), ratio(s), 1);
  }

  private static double ratio(JoinShape s) {
    return Math.min(1, s.matchRatio());
  }

  /** Whether each probe row comes out once: its columns are output as they are. */
  private static boolean all(JoinShape s) {
    return s.matchRatio() > 0.999 && !s.repeats();
  }

  /** Whether slots are found by hash. */
  private static boolean mixed(JoinShape s) {
    double rows = s.build().rows();
    return s.keyRange() > Math.max(RANK_SMALL, RANK_FACTOR * rows)
        && s.keyRange() > Math.max(DIRECT_SMALL, DIRECT_FACTOR * rows);
  }

  private static double parts(JoinShape s, double payload) {
    double rows = s.build().rows();
    double wanted = ((mixed(s) ? SLOT * rows : 4 * s.keyRange()) + payload * rows) / PART_BYTES;
    double bits = Math.ceil(Math.log(Math.clamp(wanted, 2, MOST_PARTS)) / Math.log(2));
    return Math.pow(2, bits);
  }

  /** Output values that are made one by one. */
  private double values(JoinShape s, int columns, double bytes) {
    return s.outRows() * columns * device.valueNanos()
        + device.sequential(s.outRows() * (columns * ID + bytes));
  }

  /** Those of its rows that have a partner. */
  private double fromProbe(JoinShape s) {
    int columns = s.probe().columns();
    double bytes = s.probe().bytes();
    double inSector = Math.max(1, device.sectorBytes() * columns / Math.max(1, bytes));
    double touched = 1 - Math.pow(1 - ratio(s), inSector);
    return values(s, columns, bytes) + device.sequential(bytes * s.probe().rows() * touched);
  }

  /** Visits to the build side's rows, for each of its columns. */
  private double fetched(JoinShape s, double parts) {
    double visits = s.outRows();
    if (s.probe().sorted()) {
      visits = Math.min(visits, s.build().rows());
    }
    if (s.build().sorted()) {
      visits = Math.min(visits, s.probe().rows() * ratio(s));
    }
    double copies = s.repeats() ? s.build().rows() / Math.max(1, s.distinct()) : 1;
    // The columns of a partition are visited side by side, those of a whole side one by one.
    double width = parts > 1 ? s.build().bytes() : s.build().columnBytes();
    double space = width * s.build().rows() / parts;
    return GATHERED
        * s.build().columns()
        * device.randomRows(visits, space, s.skew(), copies, GATHER_CACHE);
  }

  private double transformed(JoinShape s, JoinSideShape side, boolean carry) {
    double rows = side.rows();
    int columns = carry ? side.columns() : 0;
    double moved = WORD + (carry ? side.bytes() : ID);
    double far = Math.max(0, 1 - device.cacheBytes() / Math.max(1, rows * side.bytes()));
    double ids = carry && side.gathered() == 0 ? 0 : device.sequential(2.0 * ID * rows);
    double gathered =
        carry
            ? side.gathered()
                * device.random(rows, side.columnBytes() * rows, Skew.none(Math.max(1, rows)))
            : 0;
    double words = device.sequential(2.0 * WORD * rows) + fresh(WORD * rows);
    return words
        + device.sequential(WORD * rows)
        + ids
        + gathered
        + device.partition(rows, moved)
        + rows * columns * device.partitionValueNanos() * (1 + FAR * far)
        + fresh(WORD * rows)
        + (carry ? side.columns() * fresh(side.columnBytes() * rows) : 2 * fresh(ID * rows));
  }

  private double sorted(JoinShape s, JoinSideShape side, boolean carry) {
    double rows = side.rows();
    double words =
        device.sequential((s.wordBytes() + 2.0 * WORD) * rows)
            + rows * KEY_WORD
            + fresh(WORD * rows);
    if (side.sorted()) {
      return words;
    }
    // Numbers of either sign differ in all digits of a word.
    double bits =
        s.keyRange() >= 1L << 31
            ? Long.SIZE
            : Math.log(Math.max(2, s.keyRange())) / Math.log(2) + 1;
    double sort =
        words
            + 2 * fresh(ID * rows)
            + fresh(WORD * rows)
            + rows * device.sortRowNanos() * Math.ceil(bits / 8);
    if (!carry) {
      return sort;
    }
    double space = side.columnBytes() * rows;
    return sort
        + side.columns() * device.random(rows, space, Skew.none(Math.max(1, rows)))
        + rows * side.columns() * device.valueNanos()
        + device.sequential(rows * (side.columns() * ID + side.bytes()));
  }
}
