package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HashPolicy;
import io.aragonite.exec.device.cuda.CudaHashLayout.SlotKind;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A multimap from words to rows, as {@link CudaHashBuild} makes it: a map from each word to an id
 * ({@link CudaHashLayout}). If words are unique, the id is the row; else it is a number, and the
 * rows of number {@code n} are those from {@code starts[n]} to {@code starts[n + 1]} of a list.
 */
final class CudaHashTable implements HashTable {
  private static final KernelFamily PROBE = KernelFamily.HASH_PROBE;
  static final int THREADS = BlockPolicy.THREADS;
  static final int TILE = HashPolicy.TILE;

  private final QueryMemory memory;
  private final CudaHashLayout layout;
  private final int rows;
  private final int distinct;
  private final int maxMultiplicity;

  /** EMPTY if there are no rows. */
  private Buffer map;

  /** EMPTY if words are unique, as is the list. */
  private Buffer starts;

  private Buffer list;
  private Buffer firstRows = Buffer.EMPTY;

  /** Null until it is first wanted. */
  private @Nullable CudaHashFilter filter;

  /** Whether several queries look into it: then nothing is made with it but when it is made. */
  private boolean shared;

  /** Whether the rows that were matched last had a partner for the most part. */
  private volatile boolean mostMatch;

  /** A table of buffers that are its own from now on. */
  CudaHashTable(
      QueryMemory memory,
      CudaHashLayout layout,
      Buffer map,
      Buffer starts,
      Buffer list,
      int rows,
      int distinct,
      int maxMultiplicity) {
    this.memory = memory;
    this.layout = layout;
    this.map = map;
    this.starts = starts;
    this.list = list;
    this.rows = rows;
    this.distinct = distinct;
    this.maxMultiplicity = maxMultiplicity;
  }

  /** The name of a kernel for words of so many bytes. */
  static String narrow(String name, int wordBytes) {
    return wordBytes == Integer.BYTES ? name + "_4" : name;
  }

  /** Launches a kernel over tiles of items, whose first parameters are the map's. */
  void launch(CudaStream stream, CudaKernel kernel, long items, Object... rest) {
    stream.launch(kernel, CudaWords.blocks(items, TILE), THREADS, 0, withMap(rest));
  }

  /** A kernel's arguments, of which the map's come first. */
  Object[] withMap(Object... rest) {
    return layout.arguments(map, rest);
  }

  @Override
  public int probe(
      ExecContext context,
      ProbeWords words,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    return CudaHashProbe.probe(context, this, words, cursor, outProbe, outBuild, capacity);
  }

  @Override
  public int fetch(
      ExecContext context, Buffer words, int wordBytes, int count, List<MovedColumn> columns) {
    return CudaHashProbe.fetch(context, this, words, wordBytes, count, columns);
  }

  @Override
  public void lookup(ExecContext context, ProbeWords words, Buffer out) {
    CudaHashProbe.lookup(context, this, words, out);
  }

  /** The kernel of a family for this layout and words of so many bytes. */
  CudaKernel kernel(CudaStream stream, KernelFamily family, String name, int wordBytes) {
    boolean halves = family == PROBE && wordBytes == Integer.BYTES && layout.hasHalves();
    String ofLayout = halves ? layout.nameOfHalves(name) : layout.name(name);
    return stream.gpu().kernel(family, narrow(ofLayout, wordBytes));
  }

  /** What goes before a probe of so many rows; null: nothing does. */
  @Nullable CudaHashFilter filter(CudaStream stream, int count) {
    boolean suits =
        layout.kind() == SlotKind.PACKED
            && !shared
            && CudaHashFilter.suits(stream, distinct, layout.range(), count);
    return suits ? filter(stream) : null;
  }

  private synchronized CudaHashFilter filter(CudaStream stream) {
    CudaHashFilter known = filter;
    if (known == null) {
      known = CudaHashFilter.empty(stream, distinct, layout.range(), memory);
      try {
        stream.launch(
            stream.gpu().kernel(PROBE, "ara_hash_filter"),
            CudaWords.blocks(layout.slots(), THREADS),
            THREADS,
            0,
            withMap(known.arguments()));
      } catch (RuntimeException e) {
        known.close();
        throw e;
      }
      filter = known;
    }
    return known;
  }

  /** A row for each number of a word; EMPTY if words are unique. Made for the first lookup. */
  synchronized Buffer firstRows(CudaStream stream) {
    if (!unique() && firstRows.address() == 0) {
      firstRows = memory.allocate(4L * distinct);
      stream.launch(
          stream.gpu().kernel(PROBE, "ara_hash_firsts"),
          CudaWords.blocks(distinct, THREADS),
          THREADS,
          0,
          starts,
          list,
          distinct,
          firstRows);
    }
    return firstRows;
  }

  /** Is told how many of some rows have a partner. */
  void matched(int count, int pairs) {
    mostMatch = pairs > count / 2;
  }

  /** Whether more than half of the rows that were matched last had a partner. */
  boolean mostMatch() {
    return mostMatch;
  }

  /** Where the rows of each number start in the list, and the end; EMPTY if words are unique. */
  Buffer starts() {
    return starts;
  }

  /** Rows by word; EMPTY if words are unique. */
  Buffer list() {
    return list;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public boolean inOrder() {
    return layout.kind() == SlotKind.DIRECT || layout.ordered();
  }

  @Override
  public int distinct() {
    return distinct;
  }

  @Override
  public int maxMultiplicity() {
    return maxMultiplicity;
  }

  /** With the rows for lookups, which others would not make for all. */
  @Override
  public List<Buffer> buffers(ExecContext context) {
    return Stream.of(map, starts, list, firstRows(CudaStream.of(context)))
        .filter(part -> part.address() != 0)
        .toList();
  }

  @Override
  public CudaHashTable over(List<Buffer> copies) {
    Iterator<Buffer> left = copies.iterator();
    UnaryOperator<Buffer> copy = part -> part.address() == 0 ? Buffer.EMPTY : left.next();
    CudaHashTable copied =
        new CudaHashTable(
            memory,
            layout,
            copy.apply(map),
            copy.apply(starts),
            copy.apply(list),
            rows,
            distinct,
            maxMultiplicity);
    copied.shared = true;
    copied.firstRows = copy.apply(firstRows);
    return copied;
  }

  @Override
  public void close() {
    memory.free(map);
    memory.free(starts);
    memory.free(list);
    memory.free(firstRows);
    if (filter != null) {
      filter.close();
    }
    firstRows = Buffer.EMPTY;
    map = Buffer.EMPTY;
    starts = Buffer.EMPTY;
    list = Buffer.EMPTY;
  }
}
