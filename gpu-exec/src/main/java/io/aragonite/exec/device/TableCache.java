package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.Toggle;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Columns of tables in a device's memory, shared by its queries. A column is brought there by the
 * first query that wants it and stays until memory is short; then the columns that were used
 * longest ago, and that no query uses now, go first. Safe for several threads.
 */
public final class TableCache implements AutoCloseable {
  /** Rows of a piece at most; row numbers have 31 bits. */
  private static final int PIECE_ROWS = 1 << 30;

  /** Bytes of text of a piece at most; offsets have 31 bits. */
  private static final long PIECE_BYTES = Integer.MAX_VALUE - 64;

  /** How often a query that waits for another one's column looks whether it is cancelled. */
  private static final long POLL_MILLIS = 20;

  /** Fewer rows are loaded before a thread has begun. */
  private static final long AHEAD_ROWS = 1 << 12;

  /** Bytes of columns that are made ready ahead at most. */
  private static final long AHEAD_BYTES = 512L << 20;

  /** What part of the host's memory that may be. */
  private static final int AHEAD_SHARE = 16;

  private enum State {
    LOADING,
    THERE,
    FAILED
  }

  /** A column of a table; all guarded by the cache. */
  private static final class Entry {
    State state = State.LOADING;
    @Nullable ColumnShape shape;
    List<Column> pieces = List.of();
    List<Buffer> buffers = List.of();
    long bytes;
    int pins;
    long lastUse;

    /** Bytes of its pages that the device has decoded. */
    long pageBytes;

    /** Why the host has decoded it; empty: as it should be. */
    String hostReason = "";

    /** Whether a query has been told how it came there. */
    boolean told;
  }

  /** A column that a pin wants, or somebody loads beside a query. */
  private final class Claim implements ColumnClaim {
    final Table table;
    final int column;
    final Entry entry;
    final boolean mine;
    private boolean closed;

    Claim(Table table, int column, Entry entry, boolean mine) {
      this.table = table;
      this.column = column;
      this.entry = entry;
      this.mine = mine;
    }

    @Override
    public boolean mine() {
      return mine;
    }

    @Override
    public void load(ExecContext context) {
      TableCache.this.load(context, this, null);
    }

    /** What is not there others load who want it. */
    void giveUp() {
      synchronized (TableCache.this) {
        if (mine && entry.state == State.LOADING) {
          entry.state = State.FAILED;
          tables.getOrDefault(table, Map.of()).remove(column);
          TableCache.this.notifyAll();
        }
      }
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        giveUp();
        unpin(List.of(entry));
      }
    }
  }

  private final ColumnMemory memory;
  private final AutoCloseable registration;
  private final int pieceRows;
  private final Map<Table, Map<Integer, Entry>> tables = new IdentityHashMap<>();
  private long uses;
  private long bytes;

  /**
   * @param budget where the columns' memory is reserved
   */
  public TableCache(ColumnMemory memory, MemoryBudget budget) {
    this(memory, budget, PIECE_ROWS);
  }

  /**
   * A cache with pieces of another size, for tests.
   *
   * @param budget where the columns' memory is reserved
   */
  public TableCache(ColumnMemory memory, MemoryBudget budget, int pieceRows) {
    this.memory = memory;
    this.pieceRows = pieceRows;
    this.registration = budget.onShortage(this::reclaim, this::bytes);
  }

  /** Bytes held. */
  public synchronized long bytes() {
    return bytes;
  }

  /** Whether a column is on the device now. */
  public synchronized boolean holds(Table table, int column) {
    Map<Integer, Entry> entries = tables.get(table);
    Entry entry = entries == null ? null : entries.get(column);
    return entry != null && entry.state == State.THERE;
  }

  /**
   * The columns of a table on the device, loaded where they are not there yet.
   *
   * @throws AragoniteException MEMORY_EXCEEDED if they do not fit beside what is in use
   */
  public Table.Pin pin(ExecContext context, Table table, List<Integer> columns) {
    if (columns.isEmpty()) {
      // There are only numbers of rows.
      return table.pin(columns);
    }
    List<Claim> claims = claims(table, columns);
    List<Entry> pinned = new ArrayList<>(claims.stream().map(claim -> claim.entry).toList());
    try {
      // Others may wait for these, so that nothing is waited for before they are there.
      loadMine(context, table, claims.stream().filter(Claim::mine).toList());
      for (int i = 0; i < pinned.size(); i++) {
        while (!awaitLoaded(context, pinned.get(i))) {
          // Whoever was loading it failed, perhaps because it was cancelled.
          pinned.set(i, claimAgain(context, table, columns.get(i)));
        }
      }
      return new CachedPin(context, table, columns, pinned);
    } catch (Throwable e) {
      claims.forEach(Claim::giveUp);
      unpin(pinned);
      throw e;
    }
  }

  /**
   * Pins columns at once, so that each is loaded by one query: the first that asks for it. Others
   * wait for it until the claim is closed.
   */
  public synchronized List<? extends ColumnClaim> claim(Table table, List<Integer> columns) {
    return claims(table, columns);
  }

  private synchronized List<Claim> claims(Table table, List<Integer> columns) {
    Map<Integer, Entry> entries = tables.computeIfAbsent(table, t -> new HashMap<>());
    List<Claim> claims = new ArrayList<>();
    for (int column : columns) {
      Entry entry = entries.get(column);
      boolean mine = entry == null;
      if (entry == null) {
        entry = new Entry();
        entries.put(column, entry);
      }
      entry.pins++;
      entry.lastUse = ++uses;
      claims.add(new Claim(table, column, entry, mine));
    }
    dropClosed();
    return claims;
  }

  private void loadMine(ExecContext context, Table table, List<Claim> claims) {
    List<Integer> missing = claims.stream().map(claim -> claim.column).toList();
    try (ReadAhead ahead = readAhead(context, table, missing)) {
      for (Claim claim : claims) {
        load(context, claim, ahead);
      }
    }
  }

  private Entry claimAgain(ExecContext context, Table table, int column) {
    Claim claim = claims(table, List.of(column)).getFirst();
    if (claim.mine) {
      load(context, claim, null);
    }
    return claim.entry;
  }

  /** Null if there is nothing to be gained: one column at most is to be loaded, or few rows. */
  private static @Nullable ReadAhead readAhead(
      ExecContext context, Table table, List<Integer> missing) {
    if (missing.size() < 2
        || table.rows() < AHEAD_ROWS
        || EngineSettings.current().decodesOnDevice() == Toggle.OFF) {
      return null;
    }
    long room = Math.min(AHEAD_BYTES, context.device().host().memory().limit() / AHEAD_SHARE);
    return new ReadAhead(table, missing, room);
  }

  /** How columns came to the device. */
  private record Loading(long pageBytes, Map<String, String> byHost) {}

  /** Tells of each column once: to the first query that wants to know. */
  private synchronized Loading tell(Table table, List<Integer> columns, List<Entry> pinned) {
    long pageBytes = 0;
    Map<String, String> byHost = new LinkedHashMap<>();
    for (int i = 0; i < pinned.size(); i++) {
      Entry entry = pinned.get(i);
      if (!entry.told) {
        entry.told = true;
        pageBytes += entry.pageBytes;
        if (!entry.hostReason.isEmpty()) {
          byHost.put(table.columnNames().get(columns.get(i)), entry.hostReason);
        }
      }
    }
    return new Loading(pageBytes, byHost);
  }

  private void load(ExecContext context, Claim claim, @Nullable ReadAhead ahead) {
    Table table = claim.table;
    int column = claim.column;
    Entry entry = claim.entry;
    String what =
        "Column \"%s\" of table \"%s\"".formatted(table.columnNames().get(column), table.name());
    ColumnUpload upload = new ColumnUpload(context, memory, what, pieceRows, PIECE_BYTES);
    try {
      String reason = decode(context, table, column, what, entry, ahead);
      if (reason != null) {
        entry.hostReason = reason;
        try (Table.Pin host = table.pin(List.of(column))) {
          ColumnShape shape = host.shapes().getFirst();
          List<Column> chunks = host.chunks().stream().map(chunk -> chunk.column(0)).toList();
          List<Column> pieces = upload.upload(shape, chunks);
          keep(entry, narrowed(context, what, shape, pieces, upload.buffers()), upload.buffers());
        }
      }
    } catch (Throwable e) {
      claim.giveUp();
      free(context, upload.buffers());
      throw e;
    }
  }

  /** Copies to them may be under way. */
  private void free(ExecContext context, List<Buffer> buffers) {
    if (buffers.isEmpty()) {
      return;
    }
    try {
      memory.await(context);
    } finally {
      buffers.forEach(memory::free);
    }
  }

  /**
   * Brings a column as its file has it, if the host has not decoded it yet.
   *
   * @return null: it is there; else why the host is to decode it, empty if that is as it should be
   */
  private @Nullable String decode(
      ExecContext context,
      Table table,
      int column,
      String what,
      Entry entry,
      @Nullable ReadAhead ahead) {
    if (EngineSettings.current().decodesOnDevice() == Toggle.OFF) {
      return "";
    }
    EncodedUpload upload = new EncodedUpload(context, memory, what);
    Decodable<List<Column>> decoded;
    try {
      decoded = decode(ahead == null ? table.encoded(column) : ahead.encoded(column), upload);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return "memory does not hold its pages beside its values";
    }
    if (!decoded.present()) {
      return decoded.reason();
    }
    entry.pageBytes = upload.pageBytes();
    List<Column> values = decoded.get();
    try {
      keep(
          entry,
          narrowed(context, what, values.getFirst().shape(), values, upload.buffers()),
          upload.buffers());
    } catch (Throwable e) {
      free(context, upload.buffers());
      throw e;
    }
    return null;
  }

  private Decodable<List<Column>> decode(Decodable<EncodedColumn> found, EncodedUpload upload) {
    if (!found.present()) {
      return Decodable.byHost(found.reason());
    }
    try (EncodedColumn encoded = found.get()) {
      if (encoded.rows() == 0 || encoded.rows() > pieceRows) {
        return Decodable.byHost(
            encoded.rows() == 0 ? "" : "more than %,d rows".formatted(pieceRows));
      }
      return upload.upload(encoded);
    }
  }

  /** A column as it is kept. */
  private record Kept(ColumnShape shape, List<Column> pieces) {}

  /**
   * Narrower values, if memory holds them beside those that are there.
   *
   * @param buffers the column's, of which those of its values are replaced then
   */
  private Kept narrowed(
      ExecContext context,
      String what,
      ColumnShape shape,
      List<Column> pieces,
      List<Buffer> buffers) {
    ColumnShape narrow = ColumnNarrowing.shape(shape);
    if (narrow.storage() == shape.storage()) {
      return new Kept(shape, pieces);
    }
    List<Buffer> made = new ArrayList<>();
    List<Column> narrowed = new ArrayList<>();
    boolean done = false;
    try {
      for (Column piece : pieces) {
        narrowed.add(
            ColumnNarrowing.narrowed(
                context,
                piece,
                narrow,
                bytes -> {
                  Buffer buffer = memory.allocate(context, bytes, what);
                  made.add(buffer);
                  return buffer;
                }));
      }
      memory.await(context);
      done = true;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return new Kept(shape, pieces);
    } finally {
      if (!done) {
        free(context, made);
      }
    }
    for (Column piece : pieces) {
      buffers.remove(piece.values());
      memory.free(piece.values());
    }
    buffers.addAll(made);
    return new Kept(narrow, narrowed);
  }

  private synchronized void keep(Entry entry, Kept kept, List<Buffer> buffers) {
    entry.shape = kept.shape();
    entry.pieces = kept.pieces();
    entry.buffers = buffers;
    entry.bytes = buffers.stream().mapToLong(memory::taken).sum();
    bytes += entry.bytes;
    entry.state = State.THERE;
    notifyAll();
  }

  /** Waits for another query's loading; false if that failed, and the entry is gone. */
  private synchronized boolean awaitLoaded(ExecContext context, Entry entry) {
    try {
      while (entry.state == State.LOADING) {
        context.checkCancelled();
        wait(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AragoniteException(
          ErrorCode.CANCELLED, "The query was cancelled: its thread was interrupted.", e);
    }
    return entry.state == State.THERE;
  }

  private synchronized void unpin(List<Entry> entries) {
    entries.forEach(entry -> entry.pins--);
  }

  /** Gives back what is held of tables that are closed. */
  private synchronized void dropClosed() {
    Iterator<Map.Entry<Table, Map<Integer, Entry>>> all = tables.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Table, Map<Integer, Entry>> table = all.next();
      if (!table.getKey().closed()) {
        continue;
      }
      Map<Integer, Entry> entries = table.getValue();
      entries
          .values()
          .removeIf(entry -> {
            boolean free = entry.state == State.THERE && entry.pins == 0;
            if (free) {
              bytes -= entry.bytes;
              entry.buffers.forEach(memory::free);
            }
            return free;
          });
      if (entries.isEmpty()) {
        all.remove();
      }
    }
  }

  private synchronized long reclaim(long wanted) {
    long released = 0;
    while (released < wanted) {
      Map<Integer, Entry> owner = null;
      int oldest = -1;
      Entry victim = null;
      for (Map<Integer, Entry> entries : tables.values()) {
        for (var candidate : entries.entrySet()) {
          Entry entry = candidate.getValue();
          if (entry.state == State.THERE
              && entry.pins == 0
              && (victim == null || entry.lastUse < victim.lastUse)) {
            owner = entries;
            oldest = candidate.getKey();
            victim = entry;
          }
        }
      }
      if (owner == null || victim == null) {
        break;
      }
      owner.remove(oldest);
      if (owner.isEmpty()) {
        // Nor is the table kept, which may have been loaded anew since.
        tables.values().remove(owner);
      }
      released += victim.bytes;
      bytes -= victim.bytes;
      victim.buffers.forEach(memory::free);
    }
    return released;
  }

  /** Frees all columns. None may be in use. */
  @Override
  public synchronized void close() {
    reclaim(Long.MAX_VALUE);
    try {
      registration.close();
    } catch (Exception e) {
      throw new IllegalStateException("a registration does not throw", e);
    }
  }

  private final class CachedPin implements Table.Pin {
    private final ExecContext context;
    private final Table table;
    private final List<Integer> columns;
    private final List<Entry> entries;
    private final List<ColumnShape> shapes;
    private final List<ColumnBatch> chunks;
    private @Nullable Loading loading;
    private boolean closed;

    CachedPin(ExecContext context, Table table, List<Integer> columns, List<Entry> entries) {
      this.context = context;
      this.table = table;
      this.columns = columns;
      this.entries = entries;
      List<ColumnShape> known = new ArrayList<>();
      List<List<Column>> pieces = new ArrayList<>();
      for (Entry entry : entries) {
        known.add(Objects.requireNonNull(entry.shape));
        pieces.add(entry.pieces);
      }
      this.shapes = known;
      this.chunks = align(pieces);
    }

    private Loading loading() {
      Loading known = loading;
      if (known == null) {
        known = tell(table, columns, entries);
        loading = known;
      }
      return known;
    }

    @Override
    public List<ColumnShape> shapes() {
      return shapes;
    }

    @Override
    public List<ColumnBatch> chunks() {
      return chunks;
    }

    @Override
    public long decodedPageBytes() {
      return loading().pageBytes();
    }

    @Override
    public Map<String, String> decodedByHost() {
      return loading().byHost();
    }

    /** The columns may go when all that the query launched over them is done. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        try {
          memory.await(context);
        } finally {
          unpin(entries);
        }
      }
    }
  }

  /** Columns are cut independently of each other: chunks are their common refinement. */
  private static List<ColumnBatch> align(List<List<Column>> columns) {
    TreeSet<Long> cuts = new TreeSet<>();
    for (List<Column> pieces : columns) {
      long at = 0;
      for (Column piece : pieces) {
        at += piece.dataRows();
        cuts.add(at);
      }
    }
    List<ColumnBatch> chunks = new ArrayList<>();
    int[] piece = new int[columns.size()];
    long[] pieceStart = new long[columns.size()];
    long from = 0;
    for (long to : cuts) {
      List<Column> slices = new ArrayList<>();
      int count = (int) (to - from);
      for (int c = 0; c < columns.size(); c++) {
        List<Column> pieces = columns.get(c);
        while (from >= pieceStart[c] + pieces.get(piece[c]).dataRows() && count > 0) {
          pieceStart[c] += pieces.get(piece[c]++).dataRows();
        }
        Column whole = pieces.get(piece[c]);
        slices.add(
            whole.dataRows() == count ? whole : whole.slice((int) (from - pieceStart[c]), count));
      }
      chunks.add(new ColumnBatch(slices, count));
      from = to;
    }
    return chunks;
  }
}
