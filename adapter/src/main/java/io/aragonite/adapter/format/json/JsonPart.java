package io.aragonite.adapter.format.json;

import com.fasterxml.jackson.core.JsonToken;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import java.lang.ref.SoftReference;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run of objects. When its first column is read they are parsed, and where the values of all
 * columns are is kept as long as the heap has room for it; it is found again if it had to go.
 */
final class JsonPart implements FilePart {
  /** Where there is no value. */
  static final int NONE = -1;

  /** Values of all columns that places are kept of; objects may be small and columns many. */
  private static final long MOST_CELLS = 1 << 24;

  private final JsonLayout layout;
  private final JsonErrors errors;
  private final long start;
  private final long end;
  private final int rows;
  private final Notes notes;
  private @Nullable SoftReference<int[][]> index;

  /** What is found while a file is read. */
  interface Notes {
    /** Times of a column had digits that are cut off. */
    void cut(int column);

    /** A key is no column. */
    void unknown(String key);
  }

  /**
   * @param end behind the last object
   */
  JsonPart(JsonLayout layout, JsonErrors errors, long start, long end, int rows, Notes notes) {
    this.layout = layout;
    this.errors = errors;
    this.start = start;
    this.end = end;
    this.rows = rows;
    this.notes = notes;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public Decoded read(int column, QueryMemory temporary) {
    JsonDecoder decoder =
        new JsonDecoder(
            layout.columns().get(column), errors, layout.lenient(), start, end, temporary, notes);
    Column decoded = decoder.decode(starts(column));
    if (decoder.cut()) {
      notes.cut(column);
    }
    return new Decoded(decoded, () -> {}); // memory goes with its owner
  }

  /** Where the values of a column are. */
  private int[] starts(int column) {
    if ((long) rows * layout.columns().size() > MOST_CELLS) {
      return find(column, column + 1)[0];
    }
    return index()[column];
  }

  private synchronized int[][] index() {
    int[][] found = index == null ? null : index.get();
    if (found == null) {
      found = find(0, layout.columns().size());
      index = new SoftReference<>(found);
    }
    return found;
  }

  /** Parses the objects for some columns. */
  private int[][] find(int from, int to) {
    int[][] starts = new int[to - from][rows];
    for (int[] column : starts) {
      Arrays.fill(column, NONE);
    }
    JsonRecords records =
        new JsonRecords(layout.form(), errors, layout.lenient(), new Starts(starts, from));
    int found = records.read(start, end, rows);
    if (found != rows) {
      throw errors.notJson(
          start, "%,d objects begin here in place of %,d".formatted(found, rows), null);
    }
    return starts;
  }

  private final class Starts implements JsonRecords.Visitor {
    private final int[][] starts;
    private final int first;
    private final Map<String, Integer> numbers = layout.numbers();

    Starts(int[][] starts, int first) {
      this.starts = starts;
      this.first = first;
    }

    /** Of a key that comes twice the last value counts. */
    @Override
    public void value(int row, String key, JsonToken token, long at) {
      Integer column = numbers.get(key);
      if (column != null) {
        int place = column - first;
        if (place >= 0 && place < starts.length) {
          starts[place][row] = token == JsonToken.VALUE_NULL ? NONE : (int) (at - start);
        }
      } else if (!layout.complete()) {
        notes.unknown(key);
      }
    }

    @Override
    public void failed(int row) {
      for (int[] column : starts) {
        column[row] = NONE;
      }
    }
  }
}
