package io.aragonite.adapter.table;

import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.dictionary.TextCodes;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A file's column for a device, whose chunks are made ready by all workers. Its table keeps the
 * file open meanwhile, and knows what it saw.
 */
final class TableEncodedColumn implements EncodedColumn {
  private final PagedColumn column;
  private final DataType type;
  private final MemoryBudget budget;
  private final LoadWorkers workers;
  private final @Nullable TextCodes texts;
  private final BiPredicate<ColumnShape, Long> accepting;
  private final Runnable closing;
  private boolean closed;

  /**
   * @param budget of what chunks have beside the file
   * @param texts codes of the chunks' dictionaries; null: values are numbers
   * @param accepting takes the shape of what came out, and how many rows are null
   * @param closing run once
   */
  TableEncodedColumn(
      PagedColumn column,
      DataType type,
      MemoryBudget budget,
      LoadWorkers workers,
      @Nullable TextCodes texts,
      BiPredicate<ColumnShape, Long> accepting,
      Runnable closing) {
    this.column = column;
    this.type = type;
    this.budget = budget;
    this.workers = workers;
    this.texts = texts;
    this.accepting = accepting;
    this.closing = closing;
  }

  @Override
  public DataType type() {
    return type;
  }

  @Override
  public PageForm form() {
    return column.form();
  }

  @Override
  public int width() {
    return column.width();
  }

  @Override
  public boolean optional() {
    return column.optional();
  }

  @Override
  public boolean compressed() {
    return column.compressed();
  }

  @Override
  public @Nullable Dictionary dictionary() {
    return texts == null ? null : texts.dictionary();
  }

  @Override
  public long rows() {
    return column.rows();
  }

  @Override
  public int chunks() {
    return column.chunks();
  }

  @Override
  public long bytes(int chunk) {
    return column.bytes(chunk);
  }

  @Override
  public long size(int chunk) {
    return column.size(chunk);
  }

  @Override
  public Decodable<List<EncodedChunk>> chunks(int from, int to) {
    List<@Nullable Decodable<EncodedChunk>> ready =
        new ArrayList<>(Collections.nCopies(to - from, null));
    boolean all = false;
    try {
      workers.forEach(ready.size(), i -> ready.set(i, chunk(from + i)));
      List<EncodedChunk> chunks = new ArrayList<>();
      for (Decodable<EncodedChunk> chunk : ready) {
        if (chunk == null || !chunk.present()) {
          return Decodable.byHost(chunk == null ? "" : chunk.reason());
        }
        chunks.add(chunk.get());
      }
      all = true;
      return Decodable.of(chunks);
    } finally {
      if (!all) {
        for (Decodable<EncodedChunk> chunk : ready) {
          if (chunk != null && chunk.present()) {
            chunk.get().close();
          }
        }
      }
    }
  }

  private Decodable<EncodedChunk> chunk(int number) {
    QueryMemory memory = workers.temporary(budget);
    boolean kept = false;
    try {
      Decodable<EncodedChunk> made = column.chunk(number, memory);
      if (!made.present()) {
        return made;
      }
      EncodedChunk chunk = made.get();
      Buffer dictionary = texts == null ? chunk.dictionary() : texts.put(number, memory);
      kept = true;
      return Decodable.of(new EncodedChunk(chunk.rows(), chunk.pages(), dictionary, memory::close));
    } finally {
      if (!kept) {
        memory.close();
      }
    }
  }

  @Override
  public AragoniteException broken(int chunk, int page, MalformedPageException found) {
    return column.broken(chunk, page, found);
  }

  @Override
  public boolean accept(ColumnShape shape, long nulls) {
    return accepting.test(shape, nulls);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      closing.run();
    }
  }
}
