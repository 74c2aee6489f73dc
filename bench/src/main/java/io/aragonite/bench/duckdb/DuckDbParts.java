package io.aragonite.bench.duckdb;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.Dataset.BatchTask;
import io.aragonite.dataset.Dataset.DatasetTable;
import io.aragonite.dataset.Directories;
import io.aragonite.dataset.ProgressListener;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBConnection;

/**
 * Writes generated tables as Parquet or CSV files, in parts that all processors make at once: rows
 * go from the generator through DuckDB's COPY to the disk, a batch of them at a time for each
 * thread. Parquet parts stay, in a folder for each table; those of CSV become one file. A part has
 * its name once it is whole, so what an earlier call wrote need not be written again.
 */
public final class DuckDbParts {
  /** Of a part: four million rows. */
  private static final int BATCHES = 32;

  private static final String UNFINISHED = ".tmp";

  private final Path directory;
  private final String format;
  private final String codec;
  private final int batches;

  /** Some rows of a table, and the file that they are for. */
  private record TablePart(String table, Schema schema, List<BatchTask> batches, Path file) {
    /** About how many; only for the order of the work. */
    int size() {
      return batches.size();
    }
  }

  /**
   * @param directory an existing folder
   * @param format {@code parquet} or {@code csv}, which gets a header
   * @param codec of Parquet pages
   */
  public DuckDbParts(Path directory, String format, String codec) {
    this(directory, format, codec, BATCHES);
  }

  /**
   * @param batches how many a part has
   */
  DuckDbParts(Path directory, String format, String codec, int batches) {
    this.directory = directory;
    this.format = format;
    this.codec = codec;
    this.batches = batches;
  }

  private boolean isCsv() {
    return format.equals("csv");
  }

  private Path folder(String table) {
    return directory.resolve(isCsv() ? "_" + table : table);
  }

  /**
   * Writes all tables.
   *
   * @param threads that write parts, at least 1
   * @throws InterruptedException if the calling thread is interrupted; no thread writes then
   */
  public void write(Dataset dataset, int threads, ProgressListener listener)
      throws IOException, SQLException, InterruptedException {
    List<DatasetTable> tables = dataset.tables();
    List<TablePart> parts = new ArrayList<>();
    for (DatasetTable table : tables) {
      parts.addAll(missing(table));
    }
    parts.sort(Comparator.comparing(TablePart::size).reversed());
    listener.started(dataset, directory, parts.stream().mapToLong(TablePart::size).sum());
    ExecutorService pool =
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().daemon().name("parts-", 0).factory());
    try {
      writeParts(parts, pool, listener);
      if (isCsv()) {
        for (DatasetTable table : tables) {
          join(table);
        }
      }
    } finally {
      pool.shutdownNow();
      awaitEnd(pool);
    }
  }

  private void writeParts(
      List<TablePart> parts, ExecutorService pool, ProgressListener listener)
      throws IOException, SQLException, InterruptedException {
    ExecutorCompletionService<TablePart> running = new ExecutorCompletionService<>(pool);
    parts.forEach(part -> running.submit(() -> write(part)));
    long done = 0;
    for (int i = 0; i < parts.size(); i++) {
      try {
        TablePart part = running.take().get();
        done += part.size();
        listener.progress(part.table, done);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException failed) {
          throw failed;
        }
        if (e.getCause() instanceof SQLException failed) {
          throw failed;
        }
        throw new IllegalStateException("a part cannot be written", e.getCause());
      }
    }
  }

  private static void awaitEnd(ExecutorService pool) {
    boolean interrupted = false;
    while (!pool.isTerminated()) {
      try {
        pool.awaitTermination(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The parts that are still to be written; leftovers of others are removed. */
  private List<TablePart> missing(DatasetTable table) throws IOException {
    List<TablePart> parts = new ArrayList<>();
    if (isCsv() && Files.exists(directory.resolve(table.name() + ".csv"))) {
      return parts;
    }
    Path folder = folder(table.name());
    Files.createDirectories(folder);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(file -> file.toString().endsWith(UNFINISHED)).toList()) {
        Files.delete(file);
      }
    }
    List<BatchTask> all = table.batches();
    for (int from = 0; from < all.size(); from += batches) {
      Path file = folder.resolve("part-%05d.%s".formatted(from / batches, format));
      if (!Files.exists(file)) {
        List<BatchTask> of = all.subList(from, Math.min(all.size(), from + batches));
        parts.add(new TablePart(table.name(), table.schema(), of, file));
      }
    }
    return parts;
  }

  private String options() {
    return isCsv() ? "format csv, header false" : "format parquet, compression " + codec;
  }

  /** Puts the parts of a table behind each other. */
  private void join(DatasetTable table) throws IOException {
    Path file = directory.resolve(table.name() + ".csv");
    if (Files.exists(file)) {
      return;
    }
    Path unfinished = directory.resolve("_" + table.name() + UNFINISHED);
    Path folder = folder(table.name());
    List<String> names = table.schema().getFields().stream().map(Field::getName).toList();
    try (OutputStream out = Files.newOutputStream(unfinished);
        Stream<Path> parts = Files.list(folder)) {
      out.write((String.join(",", names) + "\n").getBytes(StandardCharsets.UTF_8));
      for (Path part : parts.sorted().toList()) {
        Files.copy(part, out);
        Files.delete(part); // room for the rest
      }
    }
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    Directories.deleteTree(folder);
  }

  private TablePart write(TablePart part) throws IOException, SQLException {
    Path unfinished = part.file.resolveSibling(part.file.getFileName() + UNFINISHED);
    // A database of one thread: the rows keep their order, and this thread can be interrupted.
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        BufferAllocator allocator = new RootAllocator();
        ArrowReader rows = new GeneratedRows(part.schema, part.batches, allocator);
        ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
      statement.execute("set threads = 1");
      Data.exportArrayStream(allocator, rows, stream);
      connection.unwrap(DuckDBConnection.class).registerArrowStream("generated", stream);
      statement.execute(
          "copy (select * from generated) to '%s' (%s)"
              .formatted(unfinished.toString().replace("'", "''"), options()));
    }
    Files.move(unfinished, part.file, StandardCopyOption.ATOMIC_MOVE);
    return part;
  }

  /** Batches that are made when they are wanted. */
  private static final class GeneratedRows extends ArrowReader {
    private final Schema schema;
    private final Iterator<BatchTask> batches;

    GeneratedRows(Schema schema, List<BatchTask> batches, BufferAllocator allocator) {
      super(allocator);
      this.schema = schema;
      this.batches = batches.iterator();
    }

    @Override
    public boolean loadNextBatch() throws IOException {
      prepareLoadNextBatch();
      if (!batches.hasNext()) {
        return false;
      }
      try (VectorSchemaRoot batch = batches.next().make(allocator)) {
        loadRecordBatch(new VectorUnloader(batch).getRecordBatch());
      }
      return true;
    }

    @Override
    public long bytesRead() {
      return 0;
    }

    @Override
    protected void closeReadSource() {}

    @Override
    protected Schema readSchema() {
      return schema;
    }
  }
}
