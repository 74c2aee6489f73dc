package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Comparator;
import java.util.List;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * Values of 64 bits at most: numbers, moments, decimals of up to 18 digits and truth values. They
 * are in a dictionary, or integers as differences, where that takes fewer bytes.
 */
final class FixedChunk implements ChunkEncoder {
  /** Indices of so many bits are taken anyway: the same ones in a row take next to nothing. */
  private static final int SHORT_INDEX = 8;

  /** Differences are taken if they need this share of the bytes; readers like indices better. */
  private static final double MUCH_LESS = 0.8;

  private final Type type;
  private final long[] values;
  private final int count;
  private final EncodeScratch scratch;
  private final @Nullable NumberDictionary dictionary;
  private final @Nullable DeltaPacker differences;

  /** The values of a column of vectors. */
  static FixedChunk of(
      Type type, int column, List<RowSlice> slices, RowValidity validity, EncodeScratch scratch) {
    long[] values = scratch.longs;
    int rows = 0;
    for (RowSlice slice : slices) {
      gather(slice.root().getVector(column), slice.from(), slice.to(), rows, values);
      rows += slice.rows();
    }
    int count = validity.all() ? rows : dropNulls(validity, values);
    return new FixedChunk(type, values, count, scratch);
  }

  /**
   * @param values the bits of values, the first {@code count} ones
   */
  FixedChunk(Type type, long[] values, int count, EncodeScratch scratch) {
    this.type = type;
    this.scratch = scratch;
    this.values = values;
    this.count = count;
    boolean integers = type == Type.INT32 || type == Type.INT64;
    DeltaPacker packer = new DeltaPacker(type == Type.INT64);
    long packed = integers && count > 0 ? packer.bytes(values, count) : Long.MAX_VALUE;
    NumberDictionary found = type == Type.BOOLEAN ? null : numbers(packed <= count);
    long otherwise = found == null ? (long) count * width() : found.bytes(count, width());
    boolean few = found != null && BitPacker.width(found.size()) <= SHORT_INDEX;
    this.differences = !few && packed < MUCH_LESS * otherwise ? packer : null;
    this.dictionary = differences == null ? found : null;
  }

  private int width() {
    return type == Type.INT32 || type == Type.FLOAT ? Integer.BYTES : Long.BYTES;
  }

  /** Takes the bits of values, and whatever nulls have in their place. */
  private static void gather(FieldVector vector, int from, int to, int at, long[] values) {
    if (!(vector instanceof BaseFixedWidthVector fixed)) {
      return; // a column of nulls only
    }
    long data = fixed.getDataBuffer().memoryAddress();
    int to0 = at - from;
    if (fixed instanceof BitVector) {
      for (int row = from; row < to; row++) {
        values[to0 + row] = Mem.getBit(data, row) ? 1 : 0;
      }
      return;
    }
    switch (fixed.getTypeWidth()) {
      case Byte.BYTES -> {
        for (int row = from; row < to; row++) {
          values[to0 + row] = Mem.getByte(data + row);
        }
      }
      case Short.BYTES -> {
        for (int row = from; row < to; row++) {
          values[to0 + row] = Mem.getShort(data + (long) row * Short.BYTES);
        }
      }
      case Integer.BYTES -> {
        for (int row = from; row < to; row++) {
          values[to0 + row] = Mem.getInt(data + (long) row * Integer.BYTES);
        }
      }
      default -> {
        // Of decimals the lower half, which has all of their digits.
        long width = fixed.getTypeWidth();
        for (int row = from; row < to; row++) {
          values[to0 + row] = Mem.getLong(data + row * width);
        }
      }
    }
  }

  private static int dropNulls(RowValidity validity, long[] values) {
    int kept = 0;
    for (int row = 0; row < validity.rows(); row++) {
      values[kept] = values[row];
      kept += validity.has(row) ? 1 : 0;
    }
    return kept;
  }

  /**
   * @param spared whether a dictionary is worth it only if it costs little time
   */
  private @Nullable NumberDictionary numbers(boolean spared) {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      least = Math.min(least, values[i]);
      most = Math.max(most, values[i]);
    }
    return count == 0 || spared && !NumberDictionary.isDense(least, most)
        ? null
        : NumberDictionary.of(values, count, width(), least, most, scratch);
  }

  @Override
  public long bytes(int from, int to) {
    return (long) (to - from) * width();
  }

  @Override
  public Encoding encode(int from, int to, NativeBytes page) {
    if (dictionary != null) {
      int bits = BitPacker.width(dictionary.size());
      page.putByte(bits);
      BitPacker.runs(scratch.codes, from, to, bits, page);
      return Encoding.RLE_DICTIONARY;
    }
    if (differences != null && from < to) {
      differences.encode(values, from, to, page);
      return Encoding.DELTA_BINARY_PACKED;
    }
    if (type == Type.BOOLEAN) {
      BitPacker.pack(values, from, to, 1, page);
    } else {
      plain(values, from, to, page);
    }
    return Encoding.PLAIN;
  }

  private void plain(long[] numbers, int from, int to, NativeBytes page) {
    long bytes = bytes(from, to);
    long at = page.reserve(bytes);
    if (width() == Long.BYTES) {
      for (int i = from; i < to; i++) {
        Mem.putLong(at + 8L * (i - from), numbers[i]);
      }
    } else {
      for (int i = from; i < to; i++) {
        Mem.putInt(at + 4L * (i - from), (int) numbers[i]);
      }
    }
    page.advance(bytes);
  }

  @Override
  public int dictionarySize() {
    return dictionary == null ? 0 : dictionary.size();
  }

  @Override
  public void addDictionary(NativeBytes page) {
    if (dictionary != null) {
      plain(dictionary.values(), 0, dictionary.size(), page);
    }
  }

  @Override
  public @Nullable EncodedBounds bounds(int from, int to) {
    if (type == Type.FLOAT || type == Type.DOUBLE) {
      return floatingBounds(from, to);
    }
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int i = from; i < to; i++) {
      least = Math.min(least, values[i]);
      most = Math.max(most, values[i]);
    }
    return from == to ? null : new EncodedBounds(plain(least), plain(most));
  }

  private double floating(long bits) {
    return type == Type.FLOAT ? Float.intBitsToFloat((int) bits) : Double.longBitsToDouble(bits);
  }

  private long bits(double value) {
    return type == Type.FLOAT
        ? Float.floatToRawIntBits((float) value)
        : Double.doubleToRawLongBits(value);
  }

  /**
   * A NaN has no place in an order that all readers agree on. Zeros are both zeros, since some
   * readers tell them apart.
   */
  private @Nullable EncodedBounds floatingBounds(int from, int to) {
    double least = Double.POSITIVE_INFINITY;
    double most = Double.NEGATIVE_INFINITY;
    for (int i = from; i < to; i++) {
      double value = floating(values[i]);
      least = Math.min(least, value); // NaN if one of them is
      most = Math.max(most, value);
    }
    if (from == to || Double.isNaN(least)) {
      return null;
    }
    return new EncodedBounds(
        plain(bits(least == 0 ? -0.0 : least)), plain(bits(most == 0 ? 0.0 : most)));
  }

  private byte[] plain(long value) {
    int bytes = type == Type.BOOLEAN ? 1 : width();
    byte[] plain = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      plain[i] = (byte) (value >> Byte.SIZE * i);
    }
    return plain;
  }

  @Override
  public Comparator<byte[]> order() {
    return switch (type) {
      case INT64 -> Comparator.comparingLong(bound -> little(bound).getLong());
      case INT32 -> Comparator.comparingInt(bound -> little(bound).getInt());
      case FLOAT -> Comparator.comparingDouble(bound -> little(bound).getFloat());
      case DOUBLE -> Comparator.comparingDouble(bound -> little(bound).getDouble());
      default -> Comparator.comparingInt(bound -> bound[0]);
    };
  }

  private static ByteBuffer little(byte[] bound) {
    return ByteBuffer.wrap(bound).order(ByteOrder.LITTLE_ENDIAN);
  }
}
