package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.type.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the first rows of a large Parquet file over and over while a connection opens its device
 * and plans its first query, so that the JVM has compiled the loops of the loader before all its
 * threads want them: else each of them runs every loop many times slower until the one compiled
 * form of it is there. Once a process, and only where processors are idle meanwhile.
 */
public final class LoadWarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(LoadWarmUp.class);

  /** Processors that planning and the JVM's compilers leave some of. */
  private static final int ENOUGH_PROCESSORS = 8;

  /** A file that loads in less time than this takes. */
  private static final long SMALL_BYTES = 32L << 20;

  /** So many rounds have all loops compiled. */
  private static final int ROUNDS = 40;

  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Room for a part of a column, which is in no query's account. */
  private static final long ROOM_BYTES = 64L << 20;

  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  private LoadWarmUp() {}

  /**
   * Begins on another thread, unless a connection has before.
   *
   * @param directory whose tables are going to be queried
   */
  public static void begin(Path directory) {
    if (Runtime.getRuntime().availableProcessors() >= ENOUGH_PROCESSORS
        && BEGUN.compareAndSet(false, true)) {
      Thread thread = new Thread(() -> run(directory), "aragonite-warm-up");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private static void run(Path directory) {
    try {
      Path largest = largest(directory);
      if (largest != null) {
        try (TableFile file = ParquetFile.open(largest)) {
          run(largest, file);
        }
      }
    } catch (Throwable e) {
      // A query that reads it will say so; a warm-up is no reason for a word to anybody.
      LOG.debug("No loops are compiled ahead: {}", e.getMessage());
    }
  }

  private static @Nullable Path largest(Path directory) throws IOException {
    try (Stream<Path> files =
        Files.find(
            directory,
            2,
            (file, attributes) ->
                attributes.size() >= SMALL_BYTES
                    && TableFormat.ofFile(file) == TableFormat.PARQUET)) {
      return files.max(Comparator.comparingLong(file -> file.toFile().length())).orElse(null);
    }
  }

  /**
   * Loads the columns of a file's first part, and drops them.
   *
   * @return columns loaded
   */
  static int run(Path path, TableFile file) {
    long start = System.nanoTime();
    int loads = 0;
    MemoryBudget room = new MemoryBudget("the loader's warm-up", ROOM_BYTES);
    TableFile first = new FirstPart(file);
    int columns = file.columns().size();
    for (int round = 0; round < ROUNDS; round++) {
      for (int column = 0; column < columns; column++) {
        if (System.nanoTime() - start > LONGEST_NANOS) {
          return loads;
        }
        DataType type = file.columns().get(column).type();
        if (type != null && file.columns().get(column).nested() == null) {
          new ColumnLoader(path, first, column, type, room, new LoadWorkers(1), false)
              .load()
              .close();
          loads++;
        }
      }
    }
    return loads;
  }

  /** The first part of a file. */
  private record FirstPart(TableFile file) implements TableFile {
    @Override
    public List<FileColumn> columns() {
      return file.columns();
    }

    @Override
    public List<FilePart> parts() {
      return List.of(SampledParts.head(file.parts().getFirst()));
    }

    @Override
    public boolean copies() {
      return file.copies();
    }

    @Override
    public void close() {}
  }
}
