package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.CutTimes;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TextFile;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.limit.StopCheck;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file of JSON objects as a table. It is mapped into memory, a compressed one when it has been
 * unpacked into the folder of spill files, and cut into runs of objects, by lines where each has
 * its own.
 */
public final class JsonFile implements TableFile {
  /** Bytes of a part. */
  private static final long PART = 4 << 20;

  private final Path path;
  private final JsonOptions options;
  private final Unpacking unpacking;
  private final TextFile file;
  private final long partBytes;
  private final JsonLayout layout;
  private final CutTimes cutTimes = new CutTimes();
  private volatile @Nullable String unknown;
  private @Nullable List<FilePart> parts;

  /**
   * @param unpacking for a compressed file
   * @throws AragoniteException FILE_BROKEN
   */
  public static JsonFile open(Path path, JsonOptions options, Unpacking unpacking) {
    return new JsonFile(path, options, unpacking, PART);
  }

  /**
   * @param partBytes least bytes of a part
   */
  JsonFile(Path path, JsonOptions options, Unpacking unpacking, long partBytes) {
    this.path = path;
    this.options = options;
    this.unpacking = unpacking;
    this.file = new TextFile(path, unpacking);
    this.partBytes = partBytes;
    boolean done = false;
    try {
      this.layout = find();
      done = true;
    } catch (IOException e) {
      throw unreadable(e);
    } finally {
      if (!done) {
        file.close();
      }
    }
  }

  private AragoniteException unreadable(IOException e) {
    return JsonErrors.broken(path, "cannot be read: " + FileErrors.reason(e), e);
  }

  /** Looks at a sample, and at a larger one as long as not one object ends in it. */
  private JsonLayout find() throws IOException {
    int bytes = options.sampleRows() == 0 ? JsonSniffer.SAMPLE : Integer.MAX_VALUE;
    while (true) {
      StopCheck.current().check();
      boolean copied = file.isCompressed() && bytes < Integer.MAX_VALUE;
      JsonLayout found = copied ? ofFirst(bytes) : ofText(bytes);
      if (found != null) {
        return found;
      }
      if (bytes >= JsonSniffer.LARGEST) {
        throw JsonErrors.broken(
            path,
            "has a first object of more than %,d bytes; is it JSON?".formatted(JsonSniffer.LARGEST),
            null);
      }
      bytes *= 4;
    }
  }

  private @Nullable JsonLayout ofText(int bytes) throws IOException {
    MemorySegment text = file.isCompressed() ? file.text(file::bytes) : file.mapped();
    boolean whole = text.byteSize() <= bytes || bytes == Integer.MAX_VALUE;
    long end = text.address() + (whole ? text.byteSize() : bytes);
    return new JsonSniffer(path, options, text.address(), end, whole).layout();
  }

  private @Nullable JsonLayout ofFirst(int bytes) throws IOException {
    return TextFile.<@Nullable JsonLayout>sample(
        file::bytes,
        bytes,
        (start, end, whole) -> new JsonSniffer(path, options, start, end, whole).layout());
  }

  @Override
  public List<FileColumn> columns() {
    return layout.columns().stream().map(JsonColumn::column).toList();
  }

  /** A column's type, in which what the sample has no value of may as well be of another. */
  public NestedType form(int column) {
    return layout.columns().get(column).form();
  }

  /** Whether the sample has no value of a column, so that its type may as well be another. */
  public boolean unseen(int column) {
    return !layout.columns().get(column).seen();
  }

  /** Whether a column's type was declared, rather than found from values in the sample. */
  public boolean declared(int column) {
    return layout.columns().get(column).declared();
  }

  /** The same file with types that it has together with others, once this one has been closed. */
  public JsonFile withTypes(Map<String, NestedType> types) {
    return new JsonFile(path, options.withCommon(types), unpacking, partBytes);
  }

  @Override
  public @Nullable String notice() {
    String key = unknown;
    return key == null
        ? null
        : "%s has keys that its first objects have not, as \"%s\"; they are left out. Look at all objects with read_json('%s', sample_size => -1), or name the columns with types"
            .formatted(path, key, path.getFileName());
  }

  @Override
  public boolean cutsTimes(int column) {
    return cutTimes.contains(column);
  }

  @Override
  public synchronized List<FilePart> parts() {
    if (parts == null) {
      parts = cut();
    }
    return parts;
  }

  private List<FilePart> cut() {
    MemorySegment text;
    try {
      text = file.text(file::bytes);
    } catch (IOException e) {
      throw unreadable(e);
    }
    JsonErrors errors = new JsonErrors(path, text.address());
    JsonPart.Notes notes = notes();
    List<FilePart> found = new ArrayList<>();
    JsonScanner.ObjectRuns add =
        (from, to, rows) -> {
          if (to - from > Integer.MAX_VALUE - 64) {
            throw JsonErrors.broken(path, "has an object of more than 2 GB", null);
          }
          found.add(new JsonPart(layout, errors, from, to, rows, notes));
        };
    long start = text.address() + layout.dataOffset();
    long end = text.address() + text.byteSize();
    if (layout.form() == JsonForm.LINES) {
      JsonScanner.cutLines(start, end, partBytes, add);
    } else {
      JsonScanner.cutValues(start, end, partBytes, layout.form() == JsonForm.ARRAY, errors, add);
    }
    return List.copyOf(found);
  }

  private JsonPart.Notes notes() {
    return new JsonPart.Notes() {
      @Override
      public void cut(int column) {
        cutTimes.add(column);
      }

      @Override
      public void unknown(String key) {
        if (unknown == null) {
          unknown = key;
        }
      }
    };
  }

  @Override
  public synchronized void close() {
    file.close();
  }
}
