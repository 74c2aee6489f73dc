package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.lz4.Lz4JavaDecompressor;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.SnappyReader;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.format.CompressionCodec;
import org.jspecify.annotations.Nullable;

/** Undoes a column chunk's compression. Not safe for several threads. */
final class Codecs {
  private final CompressionCodec codec;
  private final @Nullable Decompressor decompressor;
  private final SnappyReader snappy = new SnappyReader();

  Codecs(CompressionCodec codec) {
    this.codec = codec;
    this.decompressor =
        switch (codec) {
          case ZSTD -> new ZstdJavaDecompressor();
          case LZ4, LZ4_RAW -> new Lz4JavaDecompressor();
          default -> null;
        };
  }

  static boolean isSupported(CompressionCodec codec) {
    return switch (codec) {
      case UNCOMPRESSED, SNAPPY, GZIP, ZSTD, LZ4, LZ4_RAW -> true;
      default -> false;
    };
  }

  boolean isCompressed() {
    return codec != CompressionCodec.UNCOMPRESSED;
  }

  /** Refuses a size that the compressed bytes contradict, before memory is asked for. */
  void checkSize(long from, int compressed, int size) {
    check(size >= 0, "a page of " + size + " bytes");
    if (codec == CompressionCodec.SNAPPY && size > 0) {
      SnappyReader.checkSize(from, compressed, size);
    }
  }

  /** Whether a page's first bytes can be had without the others. */
  boolean hasPrefixes() {
    return codec == CompressionCodec.SNAPPY;
  }

  /**
   * Decompresses the first bytes of a page that has more.
   *
   * @return false if they cannot be had: the whole page shows why
   */
  boolean prefix(long from, int compressed, long to, int wanted) {
    return SnappyReader.prefix(from, compressed, to, wanted);
  }

  /** Decompresses a page, which must give {@code size} bytes. */
  void decompress(long from, int compressed, long to, int size) {
    if (size == 0) {
      return;
    }
    if (codec == CompressionCodec.SNAPPY) {
      snappy.decompress(from, compressed, to, size);
      return;
    }
    try {
      int done =
          switch (codec) {
            case GZIP -> gzip(from, compressed, to, size);
            case LZ4 -> lz4(from, compressed, to, size);
            default -> block(from, compressed, to, size);
          };
      check(done == size, "a page gives %,d bytes instead of %,d", done, size);
    } catch (MalformedInputException
        | IllegalArgumentException
        | IndexOutOfBoundsException
        | IOException e) {
      MalformedPageException malformed =
          new MalformedPageException(
              "a page is not valid %s data (%s)".formatted(codec, AragoniteException.reason(e)));
      malformed.initCause(e);
      throw malformed;
    }
  }

  private int block(long from, int compressed, long to, int size) {
    if (decompressor == null) {
      throw new IllegalStateException(codec.name());
    }
    return decompressor.decompress(Mem.segment(from, compressed), Mem.segment(to, size));
  }

  /**
   * The codec named LZ4 is Hadoop's: blocks with their two sizes in front, big-endian. Some writers
   * left the sizes out.
   */
  private int lz4(long from, int compressed, long to, int size) {
    long at = from;
    long end = from + compressed;
    int done = 0;
    while (end - at >= 8) {
      int blockSize = Integer.reverseBytes(Mem.getInt(at));
      int blockBytes = Integer.reverseBytes(Mem.getInt(at + 4));
      if (blockSize < 0 || blockSize > size - done || blockBytes < 0 || blockBytes > end - at - 8) {
        return block(from, compressed, to, size);
      }
      check(
          block(at + 8, blockBytes, to + done, blockSize) == blockSize, "a block's size is wrong");
      done += blockSize;
      at += 8 + blockBytes;
    }
    return done;
  }

  private static int gzip(long from, int compressed, long to, int size) throws IOException {
    byte[] buffer = new byte[1 << 16];
    int done = 0;
    try (GZIPInputStream in =
        new GZIPInputStream(new NativeInput(from, from + compressed), 1 << 14)) {
      for (int n; (n = in.read(buffer)) >= 0; done += n) {
        check(n <= size - done, "a page gives more than %,d bytes", size);
        Mem.copy(buffer, 0, to + done, n);
      }
    }
    return done;
  }
}
