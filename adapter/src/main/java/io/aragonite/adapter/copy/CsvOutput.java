package io.aragonite.adapter.copy;

import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;

/**
 * A delimited file, in UTF-8, with lines that end with a newline. Texts are quoted where they would
 * be read otherwise: with delimiters, quotes and line ends in them, blanks around them, empty ones,
 * and those that stand for null.
 */
final class CsvOutput implements FileOutput {
  private static final int BLOCK_ROWS = 1 << 16;
  private static final int MILLIS_OF_SECOND = 1000;
  private static final long DAY_MILLIS = 86_400_000L;

  private final OutputStream out;
  private final CopyOptions options;
  private final int columns;
  private final byte[] nullText;

  /**
   * @param out closed with this
   * @param names of the first columns of the rows; what stands behind them is left out
   */
  CsvOutput(OutputStream out, CopyOptions options, List<String> names) throws IOException {
    this.out = out;
    this.options = options;
    this.columns = names.size();
    this.nullText = options.nullText().getBytes(StandardCharsets.UTF_8);
    if (options.header()) {
      Text text = new Text();
      for (int i = 0; i < columns; i++) {
        if (i > 0) {
          text.add((byte) options.delimiter());
        }
        quoted(text, names.get(i).getBytes(StandardCharsets.UTF_8));
      }
      text.add((byte) '\n');
      out.write(text.bytes, 0, text.size);
    }
  }

  /** Bytes that are added to. */
  private static final class Text {
    private byte[] bytes = new byte[1 << 16];
    private int size;

    void add(byte value) {
      reserve(1);
      bytes[size++] = value;
    }

    void add(byte[] value) {
      reserve(value.length);
      System.arraycopy(value, 0, bytes, size, value.length);
      size += value.length;
    }

    void ascii(String value) {
      reserve(value.length());
      for (int i = 0; i < value.length(); i++) {
        bytes[size++] = (byte) value.charAt(i);
      }
    }

    private void reserve(int more) {
      if (size + more > bytes.length) {
        bytes = java.util.Arrays.copyOf(bytes, Math.max(size + more, bytes.length * 2));
      }
    }
  }

  @Override
  public int blockRows() {
    return BLOCK_ROWS;
  }

  @Override
  public EncodedBlock encode(List<RowSlice> rows) {
    Text text = new Text();
    for (RowSlice slice : rows) {
      FieldVector[] vectors =
          slice.root().getFieldVectors().subList(0, columns).toArray(FieldVector[]::new);
      for (int row = slice.from(); row < slice.to(); row++) {
        for (int i = 0; i < columns; i++) {
          if (i > 0) {
            text.add((byte) options.delimiter());
          }
          if (vectors[i].isNull(row)) {
            text.add(nullText);
          } else {
            value(text, vectors[i], row);
          }
        }
        text.add((byte) '\n');
      }
    }
    return () -> out.write(text.bytes, 0, text.size);
  }

  private void value(Text text, FieldVector vector, int row) {
    switch (vector) {
      case VarCharVector texts -> quoted(text, texts.get(row));
      case IntVector ints -> text.ascii(Integer.toString(ints.get(row)));
      case BigIntVector longs -> text.ascii(Long.toString(longs.get(row)));
      case DecimalVector decimals -> {
        BigDecimal value = decimals.getObject(row);
        text.ascii(value.toPlainString());
      }
      case DateDayVector days -> text.ascii(LocalDate.ofEpochDay(days.get(row)).toString());
      case TimeMilliVector times -> text.ascii(time(times.get(row)));
      case TimeStampMilliVector times -> {
        long millis = times.get(row);
        text.ascii(LocalDate.ofEpochDay(Math.floorDiv(millis, DAY_MILLIS)).toString());
        text.add((byte) ' ');
        text.ascii(time((int) Math.floorMod(millis, DAY_MILLIS)));
      }
      case BitVector bits -> text.ascii(bits.get(row) != 0 ? "true" : "false");
      case VarBinaryVector bytes ->
          text.ascii(HexFormat.of().withUpperCase().formatHex(bytes.get(row)));
      default -> text.ascii(String.valueOf(vector.getObject(row)));
    }
  }

  private static String time(int millis) {
    LocalTime time = LocalTime.ofNanoOfDay(millis * 1_000_000L);
    String seconds = "%02d:%02d:%02d".formatted(time.getHour(), time.getMinute(), time.getSecond());
    int rest = millis % MILLIS_OF_SECOND;
    return rest == 0 ? seconds : seconds + ".%03d".formatted(rest);
  }

  private void quoted(Text text, byte[] value) {
    if (!needsQuotes(value)) {
      text.add(value);
      return;
    }
    byte quote = (byte) options.quote();
    text.add(quote);
    for (byte one : value) {
      if (one == quote) {
        text.add(quote);
      }
      text.add(one);
    }
    text.add(quote);
  }

  private boolean needsQuotes(byte[] value) {
    if (value.length == 0
        || value[0] == ' '
        || value[value.length - 1] == ' '
        || value[0] == '\\'
        || java.util.Arrays.equals(value, nullText)) {
      return true;
    }
    for (byte one : value) {
      if (one == options.delimiter() || one == options.quote() || one == '\n' || one == '\r') {
        return true;
      }
    }
    return false;
  }

  @Override
  public void finish() {}

  @Override
  public void close() throws IOException {
    out.close();
  }
}
