package io.aragonite.adapter.format.parquet;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.apache.parquet.format.BloomFilterAlgorithm;
import org.apache.parquet.format.BloomFilterCompression;
import org.apache.parquet.format.BloomFilterHash;
import org.apache.parquet.format.BloomFilterHeader;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * The Bloom filter of a column chunk: of split blocks of 256 bits, of which a value sets one in
 * each of eight words (Putze et al., "Cache-, Hash- and Space-Efficient Bloom Filters", 2007).
 * Parquet's own class is in its library of values, which does not come with ours. One that is not
 * well formed is passed over: rows do not need it.
 */
final class BloomFilter {
  private static final int[] SALTS = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31
  };

  private static final int BLOCK_BYTES = Integer.BYTES * SALTS.length;

  /** A header is some bytes. */
  private static final int MOST_HEADER = 256;

  private BloomFilter() {}

  /**
   * Whether a chunk may have a value.
   *
   * @param value in the form of literals of the column's type
   */
  static boolean mayHave(Footer file, ColumnMetaData chunk, ParquetColumn column, Object value) {
    // From a store each filter would be a request, and another one for the block.
    if (!chunk.isSetBloom_filter_offset() || file.mapping().isRemote()) {
      return true;
    }
    Plain plain = plain(column, value);
    if (plain.bytes == null) {
      return plain.mayBe;
    }
    long size = file.dataEnd() - file.address();
    long offset = chunk.getBloom_filter_offset();
    if (offset < 4 || offset >= size) {
      return true;
    }
    BloomFilterHeader header = new BloomFilterHeader();
    long from = file.address() + offset;
    long bits;
    try {
      bits = ThriftInput.read(from, Math.min(file.dataEnd(), from + MOST_HEADER), header);
    } catch (IOException | RuntimeException e) {
      return true;
    }
    int bytes = header.getNumBytes();
    boolean sound =
        bytes >= BLOCK_BYTES
            && bytes % BLOCK_BYTES == 0
            && bytes <= file.dataEnd() - bits
            && isKnown(header);
    return !sound || has(bits, bytes / BLOCK_BYTES, XxHash64.hash(plain.bytes));
  }

  private static boolean isKnown(BloomFilterHeader header) {
    BloomFilterAlgorithm algorithm = header.getAlgorithm();
    BloomFilterHash hash = header.getHash();
    BloomFilterCompression compression = header.getCompression();
    return algorithm != null
        && algorithm.isSetBLOCK()
        && hash != null
        && hash.isSetXXHASH()
        && compression != null
        && compression.isSetUNCOMPRESSED();
  }

  private static boolean has(long bits, int blocks, long hash) {
    long block = bits + BLOCK_BYTES * ((hash >>> 32) * blocks >>> 32);
    for (int i = 0; i < SALTS.length; i++) {
      int bit = (int) hash * SALTS[i] >>> 27;
      if ((Mem.getInt(block + (long) Integer.BYTES * i) >>> bit & 1) == 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * A value as PLAIN encodes it.
   *
   * @param bytes null: it has no such form
   * @param mayBe whether the column may have it then
   */
  private record Plain(byte @Nullable [] bytes, boolean mayBe) {
    static final Plain UNKNOWN = new Plain(null, true);
    static final Plain NONE = new Plain(null, false);

    Plain(byte[] bytes) {
      this(bytes, true);
    }
  }

  private static Plain plain(ParquetColumn column, Object value) {
    Conversion conversion = column.conversion();
    if (conversion == null) {
      return Plain.UNKNOWN;
    }
    return switch (value) {
      case String text when conversion == Conversion.TEXT ->
          new Plain(text.getBytes(StandardCharsets.UTF_8));
      case Long number -> integer(column, conversion, number);
      case BigDecimal decimal -> decimal(column, conversion, decimal);
      default -> Plain.UNKNOWN;
    };
  }

  private static Plain integer(ParquetColumn column, Conversion conversion, long value) {
    return switch (conversion) {
      case COPY4, INT8, INT16 -> word(column, value, value == (int) value);
      case UINT8, UINT16, UINT32 -> word(column, value, value >= 0 && value <= 0xFFFFFFFFL);
      case COPY8 -> word(column, value, true);
      default -> Plain.UNKNOWN;
    };
  }

  private static Plain decimal(ParquetColumn column, Conversion conversion, BigDecimal value) {
    boolean integers =
        switch (conversion) {
          case COPY4, COPY8, WIDEN, INT32_TO_LONG128, INT64_TO_LONG128 -> true;
          default -> false;
        };
    DataType type = column.column().type();
    if (!integers || type == null) {
      return Plain.UNKNOWN;
    }
    BigDecimal own = value.stripTrailingZeros();
    int scale = type.scale();
    if (own.scale() > scale) {
      return Plain.NONE;
    }
    BigInteger unscaled = own.setScale(scale).unscaledValue();
    int most = column.physical() == Type.INT32 ? Integer.SIZE : Long.SIZE;
    return word(column, unscaled.longValue(), unscaled.bitLength() < most);
  }

  /**
   * @param fits whether the column can have it
   */
  private static Plain word(ParquetColumn column, long value, boolean fits) {
    if (column.physical() != Type.INT32 && column.physical() != Type.INT64) {
      return Plain.UNKNOWN;
    }
    int width = column.physical() == Type.INT32 ? Integer.BYTES : Long.BYTES;
    ByteBuffer bytes = ByteBuffer.allocate(width).order(ByteOrder.LITTLE_ENDIAN);
    if (width == Integer.BYTES) {
      bytes.putInt((int) value);
    } else {
      bytes.putLong(value);
    }
    return fits ? new Plain(bytes.array()) : Plain.NONE;
  }
}
