package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.memory.MemoryReservation;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;

/**
 * A file of JSON objects, one a line, or in an array of that form. Numbers and truth values stand
 * as they are; numbers that are not finite, and all other values, are strings. Lists are arrays,
 * structs and maps objects.
 */
final class JsonOutput implements FileOutput {
  private static final int BLOCK_ROWS = 1 << 16;
  private static final byte[] NULL = ascii("null");
  private static final byte[] HEX = ascii("0123456789abcdef");

  private final OutputStream out;
  private final boolean array;
  private final String zone;
  private final List<NestedType> types;
  private final byte[][] keys;
  private final long keyBytes;
  private boolean any;

  /**
   * @param out closed with this
   * @param names of the first columns of the rows; what stands behind them is left out
   * @param types of these columns
   * @param zone in which instants are written
   */
  JsonOutput(
      OutputStream out, boolean array, List<String> names, List<NestedType> types, String zone)
      throws IOException {
    this.out = out;
    this.array = array;
    this.types = types;
    this.zone = zone;
    this.keys = names.stream().map(JsonOutput::key).toArray(byte[][]::new);
    this.keyBytes = Arrays.stream(keys).mapToLong(key -> key.length).sum();
    if (array) {
      out.write(ascii("[\n"));
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** A name, as what follows has it. */
  static byte[] key(String name) {
    CsvText text = CsvText.small();
    quoted(text, name.getBytes(StandardCharsets.UTF_8));
    text.add((byte) ':');
    return text.bytes();
  }

  @Override
  public int blockRows() {
    return BLOCK_ROWS;
  }

  @Override
  public long memory(long rows, long bytes) {
    return 2 * (bytes + rows * keyBytes) + rows * keys.length * CsvOutput.CELL_BYTES;
  }

  @Override
  public EncodedBlock encode(List<RowSlice> rows, MemoryReservation memory) {
    CsvText text = new CsvText(CsvText.LEAST, memory);
    byte[] separator = ascii(array ? ",\n" : "\n");
    for (RowSlice slice : rows) {
      FieldVector[] vectors =
          slice.root().getFieldVectors().subList(0, keys.length).toArray(FieldVector[]::new);
      CsvOutput.CellWriter[] cells = new CsvOutput.CellWriter[keys.length];
      for (int i = 0; i < keys.length; i++) {
        cells[i] =
            types.get(i) instanceof NestedType.Scalar
                ? cells(vectors[i], text)
                : NestedJson.cells((VarBinaryVector) vectors[i], types.get(i), text);
      }
      for (int row = slice.from(); row < slice.to(); row++) {
        if (text.size() > 0) {
          text.add(separator);
        }
        object(row, vectors, cells, text);
      }
    }
    return () -> append(text, separator);
  }

  private void object(int row, FieldVector[] vectors, CsvOutput.CellWriter[] cells, CsvText text) {
    text.add((byte) '{');
    for (int i = 0; i < keys.length; i++) {
      if (i > 0) {
        text.add((byte) ',');
      }
      text.add(keys[i]);
      if (vectors[i].isNull(row)) {
        text.add(NULL);
      } else {
        cells[i].write(row);
      }
    }
    text.add((byte) '}');
  }

  private void append(CsvText text, byte[] separator) throws IOException {
    if (any && text.size() > 0) {
      out.write(separator);
    }
    any |= text.size() > 0;
    text.writeTo(out);
  }

  private CsvOutput.CellWriter cells(FieldVector vector, CsvText text) {
    CsvOutput.CellWriter plain = CsvOutput.plainCells(vector, text, zone);
    CsvOutput.CellWriter between =
        row -> {
          text.add((byte) '"');
          plain.write(row);
          text.add((byte) '"');
        };
    return switch (vector) {
      case VarCharVector texts -> row -> quoted(text, texts.get(row));
      case BaseIntVector ints -> plain;
      case DecimalVector decimals -> plain;
      case BitVector bits -> plain;
      case Float4Vector reals ->
          row -> (Float.isFinite(reals.get(row)) ? plain : between).write(row);
      case Float8Vector doubles ->
          row -> (Double.isFinite(doubles.get(row)) ? plain : between).write(row);
      default -> between;
    };
  }

  /** Adds a string. */
  static void quoted(CsvText text, byte[] value) {
    text.add((byte) '"');
    for (byte one : value) {
      if (one == '"' || one == '\\') {
        text.add((byte) '\\');
        text.add(one);
      } else if (one >= 0 && one < ' ') {
        escaped(text, one);
      } else {
        text.add(one);
      }
    }
    text.add((byte) '"');
  }

  private static void escaped(CsvText text, byte control) {
    text.add((byte) '\\');
    switch (control) {
      case '\n' -> text.add((byte) 'n');
      case '\r' -> text.add((byte) 'r');
      case '\t' -> text.add((byte) 't');
      default -> {
        text.add(ascii("u00"));
        text.add(HEX[control >> 4]);
        text.add(HEX[control & 0xF]);
      }
    }
  }

  @Override
  public void finish() throws IOException {
    if (any) {
      out.write('\n');
    }
    if (array) {
      out.write(ascii("]\n"));
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
