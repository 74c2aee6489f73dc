package io.aragonite.adapter.copy;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.snappy.SnappyJavaCompressor;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.format.CompressionCodec;
import org.jspecify.annotations.Nullable;

/** How the pages of a Parquet file are compressed. */
public enum PageCompression {
  NONE(CompressionCodec.UNCOMPRESSED),
  SNAPPY(CompressionCodec.SNAPPY),
  ZSTD(CompressionCodec.ZSTD),
  LZ4_RAW(CompressionCodec.LZ4_RAW),
  GZIP(CompressionCodec.GZIP);

  private final CompressionCodec codec;

  PageCompression(CompressionCodec codec) {
    this.codec = codec;
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

  CompressionCodec codec() {
    return codec;
  }

  byte[] compress(byte[] page) throws IOException {
    return switch (this) {
      case NONE -> page;
      case SNAPPY -> compress(new SnappyJavaCompressor(), page);
      case ZSTD -> compress(new ZstdJavaCompressor(), page);
      case LZ4_RAW -> compress(new Lz4JavaCompressor(), page);
      case GZIP -> {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(page.length / 2 + 64);
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
          out.write(page);
        }
        yield packed.toByteArray();
      }
    };
  }

  private static byte[] compress(Compressor compressor, byte[] page) {
    byte[] packed = new byte[compressor.maxCompressedLength(page.length)];
    int length = compressor.compress(page, 0, page.length, packed, 0, packed.length);
    return Arrays.copyOf(packed, length);
  }
}
