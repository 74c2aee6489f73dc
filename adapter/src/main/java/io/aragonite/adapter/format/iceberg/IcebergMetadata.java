package io.aragonite.adapter.format.iceberg;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.io.InputFile;
import org.jspecify.annotations.Nullable;

/** Reads metadata files, which may be packed and are read into Java's heap, within bounds. */
final class IcebergMetadata {
  /** How many times as large packed metadata may become; usual one packs to a tenth or so. */
  private static final long RATIO = 200;

  /** What any packed metadata may become. */
  private static final long LEAST = 1L << 24;

  /** What part of the heap the text may be: objects that are made of it take several times that. */
  private static final long HEAP_SHARE = 16;

  private static final int STEP = 1 << 16;

  private IcebergMetadata() {}

  /**
   * @throws AragoniteException RESULT_TOO_LARGE
   */
  static TableMetadata read(Path path, InputFile file) throws IOException {
    String name = String.valueOf(path.getFileName());
    boolean packed = name.endsWith(".gz") || name.endsWith(".gz.metadata.json");
    long most = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    if (packed) {
      most = Math.min(most, Math.max(LEAST, RATIO * file.getLength()));
    }
    try (InputStream stored = file.newStream();
        InputStream in = packed ? new GZIPInputStream(stored, STEP) : stored) {
      return TableMetadataParser.fromJson(path.toString(), text(path, in, most));
    }
  }

  private static String text(Path path, InputStream in, long most) throws IOException {
    StopCheck stopCheck = StopCheck.current();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    byte[] step = new byte[STEP];
    for (int read = in.read(step); read >= 0; read = in.read(step)) {
      stopCheck.work(4L * read);
      if (text.size() + read > most) {
        throw tooLarge(path, "more than %,d bytes".formatted(most), null);
      }
      text.write(step, 0, read);
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  /** For metadata, or manifests, that do not fit into Java's heap. */
  static AragoniteException tooLarge(Path path, String what, @Nullable Throwable cause) {
    return new AragoniteException(
        ErrorCode.RESULT_TOO_LARGE,
        "The metadata of the Iceberg table %s is %s; if that is right, let old snapshots expire (expire_snapshots) or give Java more heap (-Xmx)"
            .formatted(path, what),
        cause);
  }
}
