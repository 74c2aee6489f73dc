package io.aragonite.adapter.table;

import io.aragonite.adapter.table.TableFigures.FrequentKeys;
import io.aragonite.adapter.table.TableFigures.SketchFigures;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.rules.metadata.KeySketch;
import io.aragonite.rules.metadata.SampledPredicates;
import java.nio.charset.StandardCharsets;
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
  private static final int KEPT = 4096;

  /** Rows that are hashed at once. */
  private static final int HASHED = 1 << 10;

  /** Rows kept, about; of keys with many rows some only. */
  private static final int KEPT_ROWS = 1 << 14;

  /** Rows of a sample that say how frequent values are among them. */
  private static final int ENOUGH_ROWS = 64;

  /** What frequent values must have together for it to pay to look for each of them. */
  private static final double WORTHWHILE = 0.05;

  private final SketchFigures figures;
  private final List<Boolean> texts;
  private final double distinct;
  private final long threshold;
  private final long[] hashes;
  private final long[] rowHashes;
  private final boolean allRows;
  private final @Nullable TableSample sample;
  private final double topShare;
  private final FrequentKeys frequent;

  /** A question to {@link #matches}. */
  private record Asked(@Nullable Expr own, ColumnSketch other, @Nullable Expr others) {}

  private final Answers<ColumnSketch, Double> shares = new Answers<>();
  private final Answers<Asked, Matches> matches = new Answers<>();
  private final Answers<FrequentKeys, ValueSearch.SampledRows> partners = new Answers<>();

  private final @Nullable CachedTable table;
  private final int column;
  private final @Nullable TableColumnStatistics statistics;

  /**
   * @param figures what was found, in this process or another
   * @param table theirs; null: nothing is asked of its rows
   * @param columns their positions
   * @param statistics of a single column; null of several
   */
  ColumnSketch(
      SketchFigures figures,
      @Nullable CachedTable table,
      List<Integer> columns,
      @Nullable TableColumnStatistics statistics) {
    this.figures = figures;
    this.texts = figures.texts();
    this.distinct = figures.distinct();
    this.threshold = figures.threshold();
    this.hashes = figures.hashes();
    this.rowHashes = figures.rowHashes();
    this.allRows = figures.allRows();
    this.table = table;
    this.sample = table == null ? null : new TableSample(table, figures.rows());
    this.column = columns.isEmpty() ? -1 : columns.getFirst();
    this.statistics = statistics;
    this.frequent = figures.frequent();
    this.topShare = frequent.shares().length == 0 ? 0 : frequent.shares()[0];
  }

  /** What it was made of, to be kept. */
  SketchFigures figures() {
    return figures;
  }

  /** Of a column by itself, without the rows behind its values. */
  static @Nullable ColumnSketch of(LoadedColumn column) {
    return of(null, List.of(), List.of(column));
  }

  /**
   * Of columns of integers, dates or texts of a dictionary; null if one is of any other kind.
   *
   * @param table theirs; null: nothing is asked of its rows
   * @param columns their positions
   */
  static @Nullable ColumnSketch of(
      @Nullable CachedTable table, List<Integer> columns, List<LoadedColumn> loaded) {
    if (!loaded.stream().allMatch(KeyReader::serves)) {
      return null;
    }
    List<KeyReader> keys = loaded.stream().map(KeyReader::new).toList();
    double rows = loaded.getFirst().statistics().rows();
    double product = 1;
    for (LoadedColumn column : loaded) {
      product *= Math.max(1, column.statistics().distinct());
    }
    double guess = Math.min(Math.max(1, rows), product);
    Collected found = collect(keys, rows, guess);
    while (loaded.size() > 1
        && found.hashes.size() < KEPT / 8
        && found.threshold < Long.MAX_VALUE) {
      // Columns that depend on each other have fewer combinations than their product.
      guess /= Math.max(4, (double) KEPT / Math.max(1, found.hashes.size()));
      found = collect(keys, rows, guess);
    }
    double distinct =
        loaded.size() == 1
            ? guess
            : found.hashes.size() * ((double) Long.MAX_VALUE / found.threshold);
    boolean single = keys.size() == 1;
    SketchFigures figures =
        new SketchFigures(
            keys.stream().map(KeyReader::isText).toList(),
            distinct,
            found.threshold,
            found.hashes.sorted(),
            found.rows.numbers(),
            found.rows.hashes(),
            found.rows.all(),
            single ? keys.getFirst().frequent() : FrequentKeys.NONE);
    return new ColumnSketch(figures, table, columns, single ? keys.getFirst().statistics() : null);
  }

  /** What a pass over the rows has found. */
  private record Collected(long threshold, Hashes hashes, SampledRows rows) {}

  private static Collected collect(List<KeyReader> keys, double rows, double distinct) {
    double share = Math.min(1, KEPT / Math.max(1, distinct));
    long threshold = share >= 1 ? Long.MAX_VALUE : (long) (share * Long.MAX_VALUE);
    Hashes hashes = new Hashes(threshold, 2 * KEPT);
    SampledRows sampled = new SampledRows(KEPT_ROWS, rows * share);
    keys.forEach(KeyReader::rewind);
    KeyReader first = keys.getFirst();
    long row = 0;
    for (int piece = 0; piece < first.pieces(); piece++) {
      int count = first.open(piece);
      if (aligned(keys, piece, count)) {
        row = collect(keys, count, row, hashes, sampled);
        continue;
      }
      for (int i = 0; i < count; i++, row++) {
        if (first.isNull(i)) {
          continue;
        }
        long hash = first.hash(i);
        for (int k = 1; k < keys.size(); k++) {
          KeyReader key = keys.get(k);
          hash = key.moveTo(row) ? combined(hash, key.hashHere()) : -1;
          if (hash < 0) {
            break;
          }
        }
        if (hash >= 0 && hash <= threshold) {
          hashes.add(hash);
          sampled.add(row, hash);
        }
      }
    }
    return new Collected(threshold, hashes, sampled);
  }

  /** Opens a piece of all columns if each has the same rows in it, integers without nulls. */
  private static boolean aligned(List<KeyReader> keys, int piece, int count) {
    if (!keys.getFirst().plain()) {
      return false;
    }
    for (KeyReader key : keys.subList(1, keys.size())) {
      if (!key.next(piece, count)) {
        return false;
      }
    }
    return true;
  }

  /** The same of such a piece, of whose rows few are below the threshold. */
  private static long collect(
      List<KeyReader> keys, int count, long row, Hashes hashes, SampledRows sampled) {
    long threshold = hashes.threshold;
    long[] all = keys.getFirst().buffer;
    for (int from = 0; from < count; from += HASHED) {
      int rows = Math.min(HASHED, count - from);
      keys.getFirst().hashes(from, rows);
      for (KeyReader key : keys.subList(1, keys.size())) {
        key.hashes(from, rows);
        long[] other = key.buffer;
        for (int i = 0; i < rows; i++) {
          all[i] = combined(all[i], other[i]);
        }
      }
      for (int i = 0; i < rows; i++) {
        long hash = all[i];
        if (hash <= threshold) {
          hashes.add(hash);
          sampled.add(row + from + i, hash);
        }
      }
    }
    return row + count;
  }

  private static long combined(long hash, long other) {
    return DistinctBytes.mix(hash * 0x9E3779B97F4A7C15L ^ other) >>> 1;
  }

  /** Hashes of the values of one column, 63 bits each. */
  private static final class KeyReader {
    private final LoadedColumn column;
    private final int width;
    private final long @Nullable [] ofCodes;
    private int piece = -1;
    private long start;
    private long end;
    private long at;
    private long validity;
    private int here;
    private final long[] buffer = new long[HASHED];

    KeyReader(LoadedColumn column) {
      this.column = column;
      this.width = column.shape().storage().width();
      Dictionary dictionary = column.shape().dictionary();
      if (dictionary == null) {
        ofCodes = null;
      } else {
        ofCodes = new long[dictionary.size()];
        for (int code = 0; code < ofCodes.length; code++) {
          ofCodes[code] = textHash(dictionary, code);
        }
      }
    }

    /**
     * Opens a piece if it has so many rows, and is {@link #plain}, and those before were as well.
     */
    boolean next(int index, int count) {
      if (index >= pieces()
          || index != piece + 1
          || column.pieces().get(index).dataRows() != count) {
        return false;
      }
      open(index);
      return plain();
    }

    /** Whether the piece has integers of 4 or 8 bytes and no nulls. */
    boolean plain() {
      return ofCodes == null && validity == 0 && width >= Integer.BYTES;
    }

    /** Hashes of some rows of a plain piece, into the buffer. */
    void hashes(int from, int count) {
      if (width == Integer.BYTES) {
        long address = at + 4L * from;
        for (int i = 0; i < count; i++) {
          buffer[i] = DistinctBytes.mix(Mem.getInt(address + 4L * i) + 0x9E3779B97F4A7C15L) >>> 1;
        }
      } else {
        long address = at + 8L * from;
        for (int i = 0; i < count; i++) {
          buffer[i] = DistinctBytes.mix(Mem.getLong(address + 8L * i) + 0x9E3779B97F4A7C15L) >>> 1;
        }
      }
    }

    static boolean serves(LoadedColumn column) {
      Storage storage = column.shape().storage();
      return column.shape().dictionary() != null
          || storage == Storage.BYTE
          || storage == Storage.SHORT
          || storage == Storage.INT
          || storage == Storage.LONG;
    }

    boolean isText() {
      return ofCodes != null;
    }

    TableColumnStatistics statistics() {
      return column.statistics();
    }

    int pieces() {
      return column.pieces().size();
    }

    /** Goes before the first row. */
    void rewind() {
      piece = -1;
      start = 0;
      end = 0;
    }

    /** Goes to a piece; its rows. */
    int open(int index) {
      Column opened = column.pieces().get(index);
      start = index == piece + 1 ? end : start;
      piece = index;
      end = start + opened.dataRows();
      at = opened.values().address();
      validity = opened.validity() == null ? 0 : opened.validity().address();
      return opened.dataRows();
    }

    /** Goes to a row, which is not before the last one; false if it is null. */
    boolean moveTo(long row) {
      while (row >= end) {
        open(piece + 1);
      }
      here = (int) (row - start);
      return !isNull(here);
    }

    boolean isNull(int row) {
      return validity != 0 && !Mem.getBit(validity, row);
    }

    long hashHere() {
      return hash(here);
    }

    long hash(int row) {
      long value =
          switch (width) {
            case 1 -> Mem.getByte(at + row);
            case 2 -> Mem.getShort(at + 2L * row);
            case 4 -> Mem.getInt(at + 4L * row);
            default -> Mem.getLong(at + 8L * row);
          };
      return hashOf(value);
    }

    long hashOf(long value) {
      return ofCodes != null
          ? ofCodes[(int) value]
          : DistinctBytes.mix(value + 0x9E3779B97F4A7C15L) >>> 1;
    }

    private static long textHash(Dictionary dictionary, int code) {
      long hash = 0;
      for (byte b : dictionary.bytes(code)) {
        hash = hash * 0x100000001B3L + b;
      }
      return DistinctBytes.mix(hash ^ 0x9E3779B97F4A7C15L) >>> 1;
    }

    FrequentKeys frequent() {
      ValueDistribution spread = column.statistics().distribution();
      int count = spread.frequent().size();
      Dictionary dictionary = column.shape().dictionary();
      long[] values = new long[count];
      long[] hashes = new long[count];
      double[] shares = new double[count];
      int known = 0;
      for (int i = 0; i < count; i++) {
        Object value = spread.frequent().get(i);
        long number =
            dictionary != null
                ? dictionary.find(((String) value).getBytes(StandardCharsets.UTF_8))
                : ((Double) value).longValue();
        // Bytes that are no text are not found by the text that stands for them.
        if (dictionary == null || number >= 0) {
          values[known] = number;
          hashes[known] = hashOf(number);
          shares[known++] = spread.shares()[i];
        }
      }
      return new FrequentKeys(
          Arrays.copyOf(hashes, known), Arrays.copyOf(values, known), Arrays.copyOf(shares, known));
    }
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
    CachedTable from = table;
    BitSet rows = from == null ? null : from.sample().select(own);
    if (from == null || rows == null || rows.cardinality() < ENOUGH_ROWS || texts.getFirst()) {
      return frequent.shares();
    }
    Map<Object, Integer> places = new HashMap<>();
    for (int i = 0; i < frequent.values().length; i++) {
      places.put(frequent.values()[i], i);
    }
    int[] counts = new int[frequent.values().length];
    @Nullable Object[] values = from.sample().values(column);
    rows.stream()
        .mapToObj(row -> places.get(values[row]))
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
    long limit = Math.min(threshold, sketch.threshold);
    int mine = 0;
    int shared = 0;
    for (long hash : hashes) {
      if (hash > limit) {
        break;
      }
      if (!apart.has(hash)) {
        mine++;
        shared += Arrays.binarySearch(sketch.hashes, hash) >= 0 ? 1 : 0;
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
        found.set(i, Arrays.binarySearch(hashes, wanted.hashes()[i]) >= 0);
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
      BitSet seen = table.contains(column, values);
      int next = 0;
      for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
        found.set(i, seen.get(next++));
      }
    }
    return found;
  }

  /** Which values of another column this one has in rows that satisfy a predicate. */
  private @Nullable BitSet present(FrequentKeys wanted, Expr predicate) {
    CachedTable of = table;
    if (of == null || statistics == null || texts.getFirst()) {
      return null;
    }
    ValueSearch.SampledRows rows = partners.get(wanted, asked -> of.rowsOf(column, asked.values()));
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
        || others != null && !sketch.allRows) {
      return null;
    }
    return matches.get(new Asked(own, sketch, others), this::count);
  }

  private @Nullable Matches count(Asked asked) {
    Expr own = asked.own;
    Expr others = asked.others;
    ColumnSketch sketch = asked.other;
    BitSet mine = own == null || sample == null ? null : sample.select(own);
    long[] theirs = others == null ? sketch.hashes : sketch.hashesOf(others);
    if (own != null && mine == null || theirs == null) {
      return null;
    }
    Apart apart = apart(sketch, own, others);
    Double shared = shared(sketch, apart);
    if (shared == null) {
      shared = apart.hashes.length == 0 ? sharedWith(sketch) : Double.valueOf(0);
    }
    long limit = Math.min(threshold, sketch.threshold);
    int rows = 0;
    int matched = 0;
    for (int i = 0; i < rowHashes.length; i++) {
      if (rowHashes[i] <= limit && (mine == null || mine.get(i)) && !apart.has(rowHashes[i])) {
        rows++;
        matched += Arrays.binarySearch(theirs, rowHashes[i]) >= 0 ? 1 : 0;
      }
    }
    return new Matches(apart.share, apart.matched, shared == null ? 1 : shared, rows, matched);
  }

  /** Hashes of the rows that satisfy a predicate, ascending. */
  private long @Nullable [] hashesOf(Expr predicate) {
    BitSet rows = sample == null ? null : sample.select(predicate);
    return rows == null ? null : rows.stream().mapToLong(i -> rowHashes[i]).sorted().toArray();
  }

  @Override
  public double distinct() {
    return distinct;
  }

  @Override
  public double topShare() {
    return topShare;
  }

  /** Different hashes up to a threshold: a set by open addressing, whose free places are 0. */
  private static final class Hashes {
    private final long threshold;
    private long[] places;
    private int count;
    private long last;

    Hashes(long threshold, int capacity) {
      this.threshold = threshold;
      this.places = new long[Integer.highestOneBit(capacity) * 4];
    }

    void add(long hash) {
      // Equal values often follow each other, as in foreign keys of sorted tables.
      if (hash <= threshold && hash != last && hash != 0) {
        last = hash;
        if (put(places, hash) && 2 * ++count > places.length) {
          long[] wider = new long[2 * places.length];
          for (long kept : places) {
            if (kept != 0) {
              put(wider, kept);
            }
          }
          places = wider;
        }
      }
    }

    private static boolean put(long[] places, long hash) {
      int mask = places.length - 1;
      int at = (int) hash & mask;
      while (places[at] != 0) {
        if (places[at] == hash) {
          return false;
        }
        at = at + 1 & mask;
      }
      places[at] = hash;
      return true;
    }

    int size() {
      return count;
    }

    long[] sorted() {
      return Arrays.stream(places).filter(hash -> hash != 0).sorted().toArray();
    }
  }

  /** Some of the rows with kept hashes: all of them if they are few, else a random part. */
  private static final class SampledRows {
    private final int wanted;
    private double part;
    private long[] numbers = new long[1024];
    private long[] hashes = new long[1024];
    private int count;

    /**
     * @param expected rows that will be offered
     */
    SampledRows(int wanted, double expected) {
      this.wanted = wanted;
      this.part = expected <= 2.0 * wanted ? 1 : wanted / expected;
    }

    void add(long row, long hash) {
      if (!chosen(row)) {
        return;
      }
      if (count == 4 * wanted) {
        part /= 2;
        int out = 0;
        for (int i = 0; i < count; i++) {
          if (chosen(numbers[i])) {
            numbers[out] = numbers[i];
            hashes[out++] = hashes[i];
          }
        }
        count = out;
        add(row, hash);
        return;
      }
      if (count == numbers.length) {
        numbers = Arrays.copyOf(numbers, 2 * count);
        hashes = Arrays.copyOf(hashes, 2 * count);
      }
      numbers[count] = row;
      hashes[count++] = hash;
    }

    private boolean chosen(long row) {
      return part >= 1 || (DistinctBytes.mix(row + 7) >>> 11) * 0x1.0p-53 < part;
    }

    boolean all() {
      return part >= 1;
    }

    long[] numbers() {
      return Arrays.copyOf(numbers, count);
    }

    long[] hashes() {
      return Arrays.copyOf(hashes, count);
    }
  }
}
