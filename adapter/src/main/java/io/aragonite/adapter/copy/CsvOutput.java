package io.aragonite.adapter.copy;

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
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoVector;
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
      CsvText text = new CsvText();
      for (int i = 0; i < columns; i++) {
        if (i > 0) {
          text.add((byte) options.delimiter());
        }
        quoted(text, names.get(i).getBytes(StandardCharsets.UTF_8));
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
  public EncodedBlock encode(List<RowSlice> rows) {
    CsvText text = new CsvText();
    for (RowSlice slice : rows) {
      FieldVector[] vectors =
          slice.root().getFieldVectors().subList(0, columns).toArray(FieldVector[]::new);
      CellWriter[] cells = new CellWriter[columns];
      for (int i = 0; i < columns; i++) {
        cells[i] = cells(vectors[i], text);
      }
      for (int row = slice.from(); row < slice.to(); row++) {
        for (int i = 0; i < columns; i++) {
          if (i > 0) {
            text.add((byte) options.delimiter());
          }
          if (vectors[i].isNull(row)) {
            text.add(nullText);
          } else {
            cells[i].write(row);
          }
        }
        text.add((byte) '\n');
      }
    }
    return () -> text.writeTo(out);
  }

  /** Writes a value that is not null. */
  interface CellWriter {
    void write(int row);
  }

  private CellWriter cells(FieldVector vector, CsvText text) {
    return switch (vector) {
      case VarCharVector texts -> row -> quoted(text, texts.get(row));
      default -> unlessNull(plainCells(vector, text), text);
    };
  }

  /** Puts what reads as null between quotes: {@code 0} where that stands for null. */
  private CellWriter unlessNull(CellWriter cells, CsvText text) {
    return nullText.length == 0
        ? cells
        : row -> {
          int from = text.size();
          cells.write(row);
          text.quoteIf(nullText, from, (byte) options.quote());
        };
  }

  /** Writes values as they stand without quotes. */
  static CellWriter plainCells(FieldVector vector, CsvText text) {
    return switch (vector) {
      case IntVector ints -> row -> text.number(ints.get(row));
      case BigIntVector longs -> row -> text.number(longs.get(row));
      case TinyIntVector ints -> row -> text.number(ints.get(row));
      case SmallIntVector ints -> row -> text.number(ints.get(row));
      case DecimalVector decimals when decimals.getPrecision() <= DataType.MAX_LONG_PRECISION ->
          row ->
              text.decimal(
                  decimals.getDataBuffer().getLong((long) row * DecimalVector.TYPE_WIDTH),
                  decimals.getScale());
      case DecimalVector decimals -> row -> text.ascii(decimals.getObject(row).toPlainString());
      case DateDayVector days -> row -> text.date(days.get(row));
      case TimeMilliVector times -> row -> text.time(times.get(row), TimestampUnit.MILLIS);
      case TimeStampMilliVector times ->
          row -> text.timestamp(times.get(row), TimestampUnit.MILLIS);
      case TimeStampMicroVector times ->
          row -> text.timestamp(times.get(row), TimestampUnit.MICROS);
      case TimeStampNanoVector times -> row -> text.timestamp(times.get(row), TimestampUnit.NANOS);
      case BitVector bits -> row -> text.ascii(bits.get(row) != 0 ? "true" : "false");
      case VarBinaryVector bytes -> row -> text.ascii(HexFormat.of().formatHex(bytes.get(row)));
      default -> row -> text.ascii(String.valueOf(vector.getObject(row)));
    };
  }

  private void quoted(CsvText text, byte[] value) {
    if (!CsvQuotes.areNeeded(value, options.delimiter(), options.quote(), nullText)) {
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

  @Override
  public void finish() {}

  @Override
  public void close() throws IOException {
    out.close();
  }
}
