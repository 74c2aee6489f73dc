package io.aragonite.adapter.table;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import io.aragonite.adapter.table.SketchRows.Collected;
import io.aragonite.adapter.table.SketchRows.Hashes;
import io.aragonite.adapter.table.SketchRows.KeyReader;
import io.aragonite.adapter.table.StoredStatistics.FrequentKeys;
import io.aragonite.adapter.table.StoredStatistics.StoredSketch;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.rules.metadata.KeySketch;
import io.aragonite.rules.metadata.SampledPredicates;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A Theta sketch of the values of one column or several together, with some of the rows behind its
 * entries. The sketch keeps every hash below a threshold that is chosen beforehand, since the
 * number of distinct values is known when a column has been loaded: so a value costs a hash and a
 * comparison. Hashes of two columns below the lower threshold of both are a sample of the union of
 * their values, and so the share of one's that the other has too is the expected match ratio of a
 * join (Dasgupta, Lang, Rhodes and Thaler, 2016). Rows chosen by the same hashes are samples in
 * which a join's partners are found together, so that filters of both sides can be tried on them
 * (correlated sampling: Vengerov, Menck, Zait and Chakkappen, VLDB 2015).
 */
final class ColumnSketch implements KeySketch {
  /** Hashes kept, about: the share is then known to within 2 % of all values. */
  static final int KEPT = 4096;

  /** Rows of a sample that say how frequent values are among them. */
  private static final int ENOUGH_ROWS = 64;

  /** Values of a sample that say how many there are. */
  private static final int ENOUGH_VALUES = 8;

  /** What frequent values must have together for it to pay to look for each of them. */
  private static final double WORTHWHILE = 0.05;

  private final StoredSketch figures;
  private final List<Boolean> texts;
  private final double distinct;
  private final long threshold;
  private final long[] hashes;
  private final Supplier<Hashes> lookup;
  private final long[] rowHashes;
  private final boolean allRows;
  private final @Nullable TableSample sample;
  private final double topShare;
  private final FrequentKeys frequent;

  /** Rows of a table up to which partners of all values are looked for in it. */
  private static final int LOOKED_AT = 1 << 18;

  /** A question to {@link #matches}. */
  private record Asked(@Nullable Expr own, ColumnSketch other, @Nullable Expr others) {}

  private final AnswerCache<ColumnSketch, Double> shares = new AnswerCache<>();
  private final AnswerCache<Asked, Matches> matches = new AnswerCache<>();
  private final AnswerCache<FrequentKeys, ValueSearch.SampledRows> partners = new AnswerCache<>();
  private final AnswerCache<ColumnSketch, ValueSearch.HashedRows> rowsOfOthers =
      new AnswerCache<>();

  private final @Nullable StatisticsProvider table;
  private final List<Integer> columns;
  private final int column;
  private final @Nullable TableColumnStatistics statistics;

  /**
   * @param figures what was found, in this process or another
   * @param table theirs; null: nothing is asked of its rows
   * @param columns their positions
   * @param statistics of a single column; null of several
   */
  ColumnSketch(
      StoredSketch figures,
      @Nullable StatisticsProvider table,
      List<Integer> columns,
      @Nullable TableColumnStatistics statistics) {
    this.figures = figures;
    this.texts = figures.texts();
    this.distinct = figures.distinct();
    this.threshold = figures.threshold();
    this.hashes = figures.hashes();
    this.lookup = Suppliers.memoize(() -> Hashes.of(figures.hashes()));
    this.rowHashes = figures.rowHashes();
    this.allRows = figures.allRows();
    this.table = table;
    this.sample = table == null ? null : new TableSample(table, figures.rows());
    this.columns = List.copyOf(columns);
    this.column = columns.isEmpty() ? -1 : columns.getFirst();
    this.statistics = statistics;
    this.frequent = figures.frequent();
    this.topShare = frequent.shares().length == 0 ? 0 : frequent.shares()[0];
  }

  /** What it was made of, to be kept. */
  StoredSketch figures() {
    return figures;
  }

  /** Of a column by itself, without the rows behind its values. */
  static @Nullable ColumnSketch of(LoadedColumn column) {
    return of(null, List.of(), List.of(column), new LoadWorkers(1));
  }

  /**
   * Of columns of integers, dates or texts of a dictionary; null if one is of any other kind.
   *
   * @param table theirs; null: nothing is asked of its rows
   * @param columns their positions
   * @param workers who look at the rows
   */
  static @Nullable ColumnSketch of(
      @Nullable StatisticsProvider table,
      List<Integer> columns,
      List<LoadedColumn> loaded,
      LoadWorkers workers) {
    if (!loaded.stream().allMatch(KeyReader::serves)) {
      return null;
    }
    SketchRows pass = new SketchRows(loaded, workers);
    List<KeyReader> keys = pass.keys();
    double rows = loaded.getFirst().statistics().rows();
    double product = 1;
    for (LoadedColumn column : loaded) {
      product *= Math.max(1, column.statistics().distinct());
    }
    double guess = Math.min(Math.max(1, rows), product);
    Collected found = pass.collect(guess);
    while (loaded.size() > 1
        && found.hashes().size() < KEPT / 8
        && found.threshold() < Long.MAX_VALUE) {
      // Columns that depend on each other have fewer combinations than their product.
      guess /= Math.max(4, (double) KEPT / Math.max(1, found.hashes().size()));
      found = pass.collect(guess);
    }
    double distinct =
        loaded.size() == 1
            ? guess
            : found.hashes().size() * ((double) Long.MAX_VALUE / found.threshold());
    boolean single = keys.size() == 1;
    StoredSketch figures =
        new StoredSketch(
            keys.stream().map(KeyReader::isText).toList(),
            distinct,
            found.threshold(),
            found.hashes().sorted(),
            found.rows().numbers(),
            found.rows().hashes(),
            found.rows().all(),
            single ? keys.getFirst().frequent() : FrequentKeys.NONE);
    return new ColumnSketch(figures, table, columns, single ? keys.getFirst().statistics() : null);
  }

  @Override
  public @Nullable Double sharedWith(KeySketch other) {
    return other instanceof ColumnSketch sketch && sketch.texts.equals(texts)
        ? shares.get(sketch, this::share)
        : null;
  }

  private @Nullable Double share(ColumnSketch sketch) {
    Apart apart = apart(sketch, null, null);
    Double rest = shared(sketch, apart);
    if (rest == null) {
      return apart.hashes.length == 0 ? null : Double.valueOf(Math.min(1, apart.matched));
    }
    return Math.min(1, apart.matched + Math.max(0, 1 - apart.share) * rest);
  }

  /**
   * FrequentKeys values that were looked for one by one: hashes, their share, that with a partner.
   */
  private record Apart(long[] hashes, double share, double matched) {
    static final Apart NONE = new Apart(new long[0], 0, 0);

    boolean has(long hash) {
      return hashes.length > 0 && Arrays.binarySearch(hashes, hash) >= 0;
    }
  }

  /**
   * @param own what rows here must satisfy; null: nothing
   * @param others what a partner must satisfy; null: nothing
   */
  private Apart apart(ColumnSketch sketch, @Nullable Expr own, @Nullable Expr others) {
    if (Arrays.stream(frequent.shares()).sum() < WORTHWHILE) {
      return Apart.NONE;
    }
    BitSet there = others == null ? sketch.present(frequent) : sketch.present(frequent, others);
    if (there == null) {
      return Apart.NONE;
    }
    double[] shares = own == null ? frequent.shares() : sharesUnder(own);
    double share = 0;
    double matched = 0;
    for (int i = 0; i < shares.length; i++) {
      share += shares[i];
      matched += there.get(i) ? shares[i] : 0;
    }
    long[] hashes = frequent.hashes().clone();
    Arrays.sort(hashes);
    double all = Math.max(1, share);
    return new Apart(hashes, share / all, matched / all);
  }

  /** Shares of frequent values among the rows that satisfy a predicate, by the table's sample. */
  private double[] sharesUnder(Expr own) {
    StatisticsProvider from = table;
    BitSet rows = from == null ? null : from.sample().select(own);
    if (from == null || rows == null || rows.cardinality() < ENOUGH_ROWS || texts.getFirst()) {
      return frequent.shares();
    }
    Map<Object, Integer> places = new HashMap<>();
    for (int i = 0; i < frequent.values().length; i++) {
      places.put(frequent.values()[i], i);
    }
    int[] counts = new int[frequent.values().length];
    SampleValues values = from.sample().values(column);
    if (values == null) {
      return frequent.shares();
    }
    rows.stream()
        .mapToObj(row -> places.get(values.get(row)))
        .filter(Objects::nonNull)
        .forEach(place -> counts[Objects.requireNonNull(place)]++);
    double[] shares = new double[counts.length];
    for (int i = 0; i < shares.length; i++) {
      shares[i] = SampledPredicates.combined(frequent.shares()[i], rows.cardinality(), counts[i]);
    }
    return shares;
  }

  /** The share of values other than those apart that another sketch has; null if none is known. */
  private @Nullable Double shared(ColumnSketch sketch, Apart apart) {
    return share(sketch.lookup.get(), Math.min(threshold, sketch.threshold), apart);
  }

  /** The share of values up to a threshold, but those apart, that are among others. */
  private @Nullable Double share(Hashes others, long limit, Apart apart) {
    int mine = 0;
    int shared = 0;
    for (long hash : hashes) {
      if (hash > limit) {
        break;
      }
      if (!apart.has(hash)) {
        mine++;
        shared += others.contains(hash) ? 1 : 0;
      }
    }
    return mine == 0 ? null : Double.valueOf((double) shared / mine);
  }

  /** Which values of another column this one has; null if that cannot be said. */
  private @Nullable BitSet present(FrequentKeys wanted) {
    BitSet found = new BitSet();
    BitSet open = new BitSet();
    for (int i = 0; i < wanted.hashes().length; i++) {
      if (wanted.hashes()[i] <= threshold) {
        found.set(i, lookup.get().contains(wanted.hashes()[i]));
      } else {
        open.set(i);
      }
    }
    if (open.isEmpty()) {
      return found;
    }
    TableColumnStatistics known = statistics;
    if (known == null || table == null || texts.getFirst()) {
      return null;
    }
    var range = known.range();
    if (range != null && known.distinct() == (double) range.max() - range.min() + 1) {
      open.stream()
          .filter(i -> wanted.values()[i] >= range.min() && wanted.values()[i] <= range.max())
          .forEach(found::set);
    } else {
      long[] values = open.stream().mapToLong(i -> wanted.values()[i]).toArray();
      BitSet seen = ValueSearch.contained(table, column, values);
      int next = 0;
      for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
        found.set(i, seen.get(next++));
      }
    }
    return found;
  }

  /** Which values of another column this one has in rows that satisfy a predicate. */
  private @Nullable BitSet present(FrequentKeys wanted, Expr predicate) {
    StatisticsProvider of = table;
    if (of == null || statistics == null || texts.getFirst()) {
      return null;
    }
    ValueSearch.SampledRows rows =
        partners.get(wanted, asked -> ValueSearch.rows(of, column, asked.values()));
    BitSet selected = rows == null ? null : rows.sample().select(predicate);
    if (rows == null || selected == null) {
      return null;
    }
    BitSet found = new BitSet();
    selected.stream().forEach(row -> found.set(rows.places()[row]));
    return found;
  }

  @Override
  public @Nullable Matches matches(@Nullable Expr own, KeySketch other, @Nullable Expr others) {
    if (!(other instanceof ColumnSketch sketch)
        || !sketch.texts.equals(texts)
        || sample == null
        || others != null && !sketch.allRows && !looksUpIn(sketch)) {
      return null;
    }
    return matches.get(new Asked(own, sketch, others), this::count);
  }

  private @Nullable Matches count(Asked asked) {
    Expr own = asked.own;
    Expr others = asked.others;
    ColumnSketch sketch = asked.other;
    BitSet mine = own == null || sample == null ? null : sample.select(own);
    Hashes lookedUp = others != null && looksUpIn(sketch) ? lookUp(sketch, others) : null;
    Hashes theirs =
        lookedUp != null
            ? lookedUp
            : others == null
                ? sketch.lookup.get()
                : sketch.allRows ? sketch.hashesOf(others) : null;
    if (own != null && mine == null || theirs == null) {
      return null;
    }
    Apart apart = apart(sketch, own, others);
    Double shared = lookedUp == null ? shared(sketch, apart) : share(theirs, Long.MAX_VALUE, apart);
    if (shared == null) {
      shared = apart.hashes.length == 0 ? sharedWith(sketch) : Double.valueOf(0);
    }
    long limit = lookedUp == null ? Math.min(threshold, sketch.threshold) : Long.MAX_VALUE;
    int rows = 0;
    int matched = 0;
    for (int i = 0; i < rowHashes.length; i++) {
      if (rowHashes[i] <= limit && (mine == null || mine.get(i)) && !apart.has(rowHashes[i])) {
        rows++;
        matched += theirs.contains(rowHashes[i]) ? 1 : 0;
      }
    }
    return new Matches(
        apart.share,
        apart.matched,
        shared == null ? 1 : shared,
        others == null || lookedUp != null,
        rows,
        matched);
  }

  /**
   * Whether partners are looked for by all values: where these are few of the other side's many, as
   * the days on which something was sold are of all days, a sample of the latter has hardly one.
   */
  private boolean looksUpIn(ColumnSketch sketch) {
    StatisticsProvider theirs = sketch.table;
    return threshold == Long.MAX_VALUE
        && sketch.threshold < Long.MAX_VALUE
        && theirs != null
        && theirs.cache().rows() <= LOOKED_AT;
  }

  /** Hashes of our values that other columns have in rows that satisfy a predicate. */
  private @Nullable Hashes lookUp(ColumnSketch sketch, Expr predicate) {
    StatisticsProvider theirs = sketch.table;
    ValueSearch.HashedRows rows =
        theirs == null
            ? null
            : sketch.rowsOfOthers.get(
                this, own -> ValueSearch.rows(theirs, sketch.columns, own.lookup.get()));
    BitSet selected = rows == null ? null : rows.sample().select(predicate);
    return rows == null || selected == null
        ? null
        : Hashes.of(selected.stream().mapToLong(row -> rows.hashes()[row]).toArray());
  }

  /** Hashes of the rows that satisfy a predicate. */
  private @Nullable Hashes hashesOf(Expr predicate) {
    BitSet rows = sample == null ? null : sample.select(predicate);
    return rows == null ? null : Hashes.of(rows.stream().mapToLong(i -> rowHashes[i]).toArray());
  }

  @Override
  public double distinct() {
    return distinct;
  }

  @Override
  public @Nullable Double distinct(Expr predicate) {
    Hashes found = allRows ? hashesOf(predicate) : null;
    return found == null || found.size() < ENOUGH_VALUES
        ? null
        : Double.valueOf(found.size() * ((double) Long.MAX_VALUE / threshold));
  }

  @Override
  public double topShare() {
    return topShare;
  }
}
