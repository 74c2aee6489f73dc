package io.aragonite.adapter.copy;

import io.aragonite.exec.expr.ZonedTimes;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoTZVector;
import org.apache.arrow.vector.TimeStampNanoVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;

/**
 * A delimited file, in UTF-8, with lines that end with a newline. Texts are quoted where they would
 * be read otherwise: with delimiters, quotes and line ends in them, blanks around them, empty ones,
 * and those that stand for null.
 */
final class CsvOutput implements FileOutput {
  private static final int BLOCK_ROWS = 1 << 16;

  /** Words of a dictionary that are kept as they are written. */
  private static final int MOST_KEPT = 1 << 12;

  /** Of a value as text: what numbers take more than their bits, and the delimiter. */
  static final long CELL_BYTES = 8;

  private final OutputStream out;
  private final CopyOptions options;
  private final int columns;
  private final QueryWords words;
  private final String zone;
  private final byte[] nullText;

  /** Bytes of a block, as far as there were some. */
  private volatile int expected = 1 << 16;

  /**
   * @param out closed with this
   * @param names of the first columns of the rows; what stands behind them is left out
   * @param words texts that rows have codes of
   * @param zone in which instants are written
   */
  CsvOutput(
      OutputStream out, CopyOptions options, List<String> names, QueryWords words, String zone)
      throws IOException {
    this.out = out;
    this.options = options;
    this.columns = names.size();
    this.words = words;
    this.zone = zone;
    this.nullText = options.nullText().getBytes(StandardCharsets.UTF_8);
    if (options.header()) {
      CsvText text = CsvText.small();
      for (int i = 0; i < columns; i++) {
        if (i > 0) {
          text.add((byte) options.delimiter());
        }
        int from = text.size();
        text.add(names.get(i).getBytes(StandardCharsets.UTF_8));
        text.quoteIfNeeded(from, options.delimiter(), options.quote(), nullText);
      }
      text.add((byte) '\n');
      text.writeTo(out);
    }
  }

  @Override
  public int blockRows() {
    return BLOCK_ROWS;
  }

  @Override
  public long memory(long rows, long bytes) {
    return 2 * bytes + rows * columns * CELL_BYTES;
  }

  @Override
  public EncodedBlock encode(List<RowSlice> rows, MemoryReservation memory) {
    CsvText text = new CsvText(expected, memory);
    for (RowSlice slice : rows) {
      FieldVector[] vectors =
          slice.root().getFieldVectors().subList(0, columns).toArray(FieldVector[]::new);
      CellWriter[] cells = new CellWriter[columns];
      boolean[] nulls = new boolean[columns];
      for (int i = 0; i < columns; i++) {
        cells[i] = cells(vectors[i], text);
        nulls[i] = vectors[i].getNullCount() > 0;
      }
      for (int row = slice.from(); row < slice.to(); row++) {
        for (int i = 0; i < columns; i++) {
          if (i > 0) {
            text.add((byte) options.delimiter());
          }
          if (nulls[i] && vectors[i].isNull(row)) {
            text.add(nullText);
          } else {
            cells[i].write(row);
          }
        }
        text.add((byte) '\n');
      }
    }
    expected = Math.max(expected, (int) Math.min(Integer.MAX_VALUE / 2, text.size() * 1.05));
    return () -> text.writeTo(out);
  }

  /** Writes a value that is not null. */
  interface CellWriter {
    void write(int row);
  }

  private CellWriter cells(FieldVector vector, CsvText text) {
    FieldVector known = words.of(vector);
    return switch (vector) {
      case IntVector codes when known != null -> coded(codes, known, text);
      case VarCharVector texts -> texts(texts, text);
      default -> unlessNull(vector, text);
    };
  }

  private CellWriter texts(FieldVector vector, CsvText text) {
    long offsets = vector.getOffsetBuffer().memoryAddress();
    long data = vector.getDataBuffer().memoryAddress();
    return row -> {
      int start = Mem.getInt(offsets + 4L * row);
      int from = text.size();
      text.add(data + start, Mem.getInt(offsets + 4L * row + 4) - start);
      text.quoteIfNeeded(from, options.delimiter(), options.quote(), nullText);
    };
  }

  /** Words that are few are written once, and copied then. */
  private CellWriter coded(IntVector vector, FieldVector known, CsvText text) {
    long codes = vector.getDataBuffer().memoryAddress();
    CellWriter texts = texts(known, text);
    if (known.getValueCount() > MOST_KEPT) {
      return row -> texts.write(Mem.getInt(codes + 4L * row));
    }
    byte[][] written = new byte[known.getValueCount()][];
    return row -> {
      int code = Mem.getInt(codes + 4L * row);
      byte[] word = written[code];
      if (word == null) {
        int from = text.size();
        texts.write(code);
        written[code] = text.since(from);
      } else {
        text.add(word);
      }
    };
  }

  /** Puts what reads as null between quotes: {@code 0} where that stands for null, and no bytes. */
  private CellWriter unlessNull(FieldVector vector, CsvText text) {
    CellWriter cells = plainCells(vector, text, zone);
    return nullText.length == 0 && !(vector instanceof VarBinaryVector)
        ? cells
        : row -> {
          int from = text.size();
          cells.write(row);
          text.quoteIf(nullText, from, (byte) options.quote());
        };
  }

  /** Writes values as they stand without quotes. */
  static CellWriter plainCells(FieldVector vector, CsvText text, String zone) {
    return switch (vector) {
      case IntVector ints -> {
        long data = ints.getDataBuffer().memoryAddress();
        yield row -> text.number(Mem.getInt(data + 4L * row));
      }
      case BigIntVector longs -> {
        long data = longs.getDataBuffer().memoryAddress();
        yield row -> text.number(Mem.getLong(data + 8L * row));
      }
      case TinyIntVector ints -> row -> text.number(ints.get(row));
      case SmallIntVector ints -> row -> text.number(ints.get(row));
      case DecimalVector decimals when decimals.getPrecision() <= DataType.MAX_LONG_PRECISION -> {
        long data = decimals.getDataBuffer().memoryAddress();
        int scale = decimals.getScale();
        yield row -> text.decimal(Mem.getLong(data + (long) row * DecimalVector.TYPE_WIDTH), scale);
      }
      case DecimalVector decimals -> row -> text.ascii(decimals.getObject(row).toPlainString());
      case DateDayVector days -> {
        long data = days.getDataBuffer().memoryAddress();
        yield row -> text.date(Mem.getInt(data + 4L * row));
      }
      case TimeMicroVector times -> row -> text.time(times.get(row), TimestampUnit.MICROS);
      case TimeStampMilliVector times ->
          row -> text.timestamp(times.get(row), TimestampUnit.MILLIS);
      case TimeStampMicroVector times ->
          row -> text.timestamp(times.get(row), TimestampUnit.MICROS);
      case TimeStampNanoVector times -> row -> text.timestamp(times.get(row), TimestampUnit.NANOS);
      case TimeStampMilliTZVector times -> instants(times, TimestampUnit.MILLIS, text, zone);
      case TimeStampMicroTZVector times -> instants(times, TimestampUnit.MICROS, text, zone);
      case TimeStampNanoTZVector times -> instants(times, TimestampUnit.NANOS, text, zone);
      case BitVector bits -> row -> text.ascii(bits.get(row) != 0 ? "true" : "false");
      case VarBinaryVector bytes -> row -> text.ascii(HexFormat.of().formatHex(bytes.get(row)));
      default -> row -> text.ascii(String.valueOf(vector.getObject(row)));
    };
  }

  /** The local time with its offset. */
  private static CellWriter instants(
      TimeStampVector times, TimestampUnit unit, CsvText text, String zone) {
    return row -> text.ascii(ZonedTimes.text(zone, times.get(row), unit));
  }

  @Override
  public void finish() {}

  @Override
  public void close() throws IOException {
    out.close();
  }
}
