package io.aragonite.adapter.format.csv;

import io.aragonite.adapter.format.CutTimes;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import java.lang.ref.SoftReference;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A run of records. When its first column is read it finds where every {@link #STRIDE}th field
 * begins and checks the number of fields; that index is kept as long as the heap has room for it,
 * and made again if it had to go.
 */
final class CsvPart implements FilePart {
  /** Fields from one that is in the index to the next: less memory for a little more scanning. */
  static final int STRIDE = 4;

  private final CsvLayout layout;
  private final CsvErrors errors;
  private final CsvScanner scanner;
  private final long start;
  private final long end;
  private final int records;
  private final int rows;
  private final CutTimes cutTimes;
  private @Nullable SoftReference<int[][]> index;

  /**
   * @param end behind the last record, without its newline
   * @param records in it
   * @param cutTimes of the file
   * @param rejected takes where records begin that are left out
   */
  CsvPart(
      CsvLayout layout,
      CsvErrors errors,
      long start,
      long end,
      int records,
      CutTimes cutTimes,
      LongConsumer rejected) {
    this.layout = layout;
    this.errors = errors;
    this.scanner = layout.scanner();
    this.start = start;
    this.end = end;
    this.records = records;
    this.cutTimes = cutTimes;
    if (layout.lenient()) {
      int[][] valid = validIndex(rejected);
      this.rows = valid[0].length;
      this.index = new SoftReference<>(valid);
    } else {
      this.rows = records;
    }
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public Decoded read(int column, QueryMemory temporary) {
    int[] starts = index()[column / STRIDE];
    CsvDecoder decoder =
        new CsvDecoder(layout, column, scanner, errors, start, end, starts, temporary);
    Column decoded = decoder.decode(rows);
    if (decoder.cut()) {
      cutTimes.add(column);
    }
    return new Decoded(decoded, () -> {}); // memory goes with its owner
  }

  private synchronized int[][] index() {
    int[][] found = index == null ? null : index.get();
    if (found == null) {
      found = layout.lenient() ? validIndex(_ -> {}) : makeIndex();
      index = new SoftReference<>(found);
    }
    return found;
  }

  private int[][] makeIndex() {
    int columns = layout.columns().size();
    int[][] starts = new int[(columns + STRIDE - 1) / STRIDE][rows];
    long at = start;
    for (int row = 0; row < rows; row++) {
      long record = at;
      long stop = at - 1;
      for (int c = 0; c < columns; c++) {
        at = stop + 1;
        if (c % STRIDE == 0) {
          starts[c / STRIDE][row] = (int) (at - start);
        }
        stop = scanner.fieldEnd(at, end);
        if (stop == CsvScanner.NONE) {
          throw errors.openQuote(at);
        }
        if (CsvScanner.isRecordEnd(stop, end) != (c == columns - 1)) {
          throw errors.fieldCount(record, fields(record), columns);
        }
      }
      at = stop + 1;
    }
    return starts;
  }

  /** Of the records that can be read. */
  private int[][] validIndex(LongConsumer rejected) {
    int columns = layout.columns().size();
    int[][] starts = new int[(columns + STRIDE - 1) / STRIDE][records];
    CsvRecordCheck check = new CsvRecordCheck(layout, end);
    int valid = 0;
    long at = start;
    for (int record = 0; record < records; record++) {
      if (check.isValid(at)) {
        for (int i = 0; i < starts.length; i++) {
          starts[i][valid] = (int) (check.start(i * STRIDE) - start);
        }
        valid++;
      } else {
        rejected.accept(at);
      }
      at = check.behind();
    }
    for (int i = 0; i < starts.length; i++) {
      starts[i] = Arrays.copyOf(starts[i], valid);
    }
    return starts;
  }

  private int fields(long record) {
    int count = 0;
    long at = record;
    while (true) {
      long stop = scanner.fieldEnd(at, end);
      if (stop == CsvScanner.NONE) {
        throw errors.openQuote(at);
      }
      count++;
      if (CsvScanner.isRecordEnd(stop, end)) {
        return count;
      }
      at = stop + 1;
    }
  }
}
