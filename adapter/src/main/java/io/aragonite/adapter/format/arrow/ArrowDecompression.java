package io.aragonite.adapter.format.arrow;

import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import io.aragonite.exec.memory.Mem;
import org.apache.arrow.compression.Lz4CompressionCodec;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.compression.AbstractCompressionCodec;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;

/**
 * Decompresses the buffers of Arrow files. Arrow's own codec of ZSTD calls a native library, which
 * knows its classes by their names, so that a program could not have another version of it.
 */
final class ArrowDecompression implements CompressionCodec.Factory {
  static final ArrowDecompression INSTANCE = new ArrowDecompression();

  private ArrowDecompression() {}

  @Override
  public CompressionCodec createCodec(CodecType type) {
    return switch (type) {
      case ZSTD -> new Zstd();
      case LZ4_FRAME -> new Lz4CompressionCodec();
      default -> throw new IllegalArgumentException("unknown compression " + type);
    };
  }

  @Override
  public CompressionCodec createCodec(CodecType type, int level) {
    return createCodec(type);
  }

  private static final class Zstd extends AbstractCompressionCodec {
    private final ZstdJavaDecompressor decompressor = new ZstdJavaDecompressor();

    @Override
    public CodecType getCodecType() {
      return CodecType.ZSTD;
    }

    @Override
    protected ArrowBuf doDecompress(BufferAllocator allocator, ArrowBuf compressed) {
      long size = readUncompressedLength(compressed);
      long header = CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH;
      ArrowBuf out = allocator.buffer(size);
      boolean done = false;
      try {
        int written =
            decompressor.decompress(
                Mem.segment(compressed.memoryAddress() + header, compressed.writerIndex() - header),
                Mem.segment(out.memoryAddress(), size));
        if (written != size) {
          throw new IllegalArgumentException(
              "a buffer gives %,d bytes instead of %,d".formatted(written, size));
        }
        out.writerIndex(size);
        done = true;
        return out;
      } finally {
        if (!done) {
          out.close();
        }
      }
    }

    @Override
    protected ArrowBuf doCompress(BufferAllocator allocator, ArrowBuf uncompressed) {
      throw new UnsupportedOperationException("files are only read");
    }
  }
}
