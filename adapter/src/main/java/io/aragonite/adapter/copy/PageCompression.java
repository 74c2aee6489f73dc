package io.aragonite.adapter.copy;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.snappy.SnappyJavaCompressor;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import io.aragonite.exec.memory.Mem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.format.CompressionCodec;
import org.jspecify.annotations.Nullable;

/** How the pages of a Parquet file are compressed. */
public enum PageCompression {
  NONE(CompressionCodec.UNCOMPRESSED, () -> null),
  SNAPPY(CompressionCodec.SNAPPY, SnappyJavaCompressor::new),
  ZSTD(CompressionCodec.ZSTD, ZstdJavaCompressor::new),
  LZ4_RAW(CompressionCodec.LZ4_RAW, Lz4JavaCompressor::new),
  GZIP(CompressionCodec.GZIP, () -> null);

  /** A page and its header, which has bounds of values, are less than 2 GB. */
  private static final long LONGEST = Integer.MAX_VALUE - (1L << 16);

  private final CompressionCodec codec;
  private final Supplier<@Nullable Compressor> compressors;

  PageCompression(CompressionCodec codec, Supplier<@Nullable Compressor> compressors) {
    this.codec = codec;
    this.compressors = compressors;
  }

  static @Nullable PageCompression of(String name) {
    return switch (name.toUpperCase(Locale.ROOT)) {
      case "NONE", "UNCOMPRESSED" -> NONE;
      case "SNAPPY" -> SNAPPY;
      case "ZSTD" -> ZSTD;
      case "LZ4", "LZ4_RAW" -> LZ4_RAW;
      case "GZIP" -> GZIP;
      default -> null;
    };
  }

  /**
   * The longest page: arrays, and the numbers of bytes in headers and indexes, end at 2 GB. What
   * does not get smaller gets larger, and Snappy's bound of that is a sixth.
   */
  long mostBytes() {
    return this == NONE ? LONGEST : LONGEST / 7 * 6;
  }

  CompressionCodec codec() {
    return codec;
  }

  /** What compresses pages; not safe for several threads. */
  PageCompressor compressor() {
    Compressor compressor = compressors.get();
    if (compressor != null) {
      return (page, packed) -> {
        int bytes = Math.toIntExact(page.size());
        int most = compressor.maxCompressedLength(bytes);
        long to = packed.reserve(most);
        packed.advance(
            compressor.compress(Mem.segment(page.address(), bytes), Mem.segment(to, most)));
        return packed.toArray();
      };
    }
    return this == GZIP ? PageCompression::gzip : (page, packed) -> page.toArray();
  }

  private static byte[] gzip(NativeBytes page, NativeBytes unused) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream((int) page.size() / 2 + 64);
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(page.toArray());
    }
    return packed.toByteArray();
  }

  /** Compresses a page. */
  interface PageCompressor {
    /**
     * @param packed empty memory that may be used
     */
    byte[] compress(NativeBytes page, NativeBytes packed) throws IOException;
  }
}
