package io.aragonite.adapter.format.json;

import com.fasterxml.jackson.core.JsonToken;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.memory.Mem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds a JSON file's layout from its options and its first bytes. */
final class JsonSniffer {
  /** Bytes of a sample. */
  static final int SAMPLE = 4 << 20;

  /** Bytes that the first object may have if it is to be a sample. */
  static final int LARGEST = 256 << 20;

  /** Columns that a sample may have; more are values as keys. */
  private static final int MOST_COLUMNS = 10_000;

  private static final long RUN = 1 << 20;

  private final Path path;
  private final JsonOptions options;
  private final JsonErrors errors;
  private final long start;
  private final long end;
  private final boolean whole;
  private final JsonEvidence.LookedInto looked = new JsonEvidence.LookedInto(MOST_COLUMNS);
  private final Map<String, JsonEvidence> evidence = new LinkedHashMap<>();
  private int rows;

  /**
   * @param start the first byte of a sample in memory
   * @param whole whether the sample is the whole file
   */
  JsonSniffer(Path path, JsonOptions options, long start, long end, boolean whole) {
    this.path = path;
    this.options = options;
    this.errors = new JsonErrors(path, start);
    this.start = start;
    this.end = end;
    this.whole = whole;
  }

  /** The layout; null if a larger sample is needed. */
  @Nullable JsonLayout layout() {
    long first = JsonScanner.skipBlanks(start + markLength(), end);
    if (first >= end) {
      return whole ? layout(JsonForm.LINES, first) : null;
    }
    JsonForm form = options.form() != null ? options.form() : form(first);
    if (form == null) {
      return null;
    }
    boolean array = form == JsonForm.ARRAY;
    if (array && Mem.getByte(first) != '[') {
      throw errors.notJson(first, "an array is wanted here, [{…}, {…}]", null);
    }
    long data = array ? first + 1 : first;
    if (options.columns() == null) {
      sample(form, data);
      if (rows == 0 && !whole) {
        return null;
      }
    }
    return layout(form, data);
  }

  private long markLength() {
    long size = end - start;
    int two = size < 2 ? 0 : Mem.getShort(start) & 0xFFFF;
    if (two == 0xFFFE || two == 0xFEFF) {
      throw JsonErrors.broken(path, "is UTF-16 text; convert it to UTF-8", null);
    }
    for (long at = start; at < Math.min(end, start + 4); at++) {
      if (Mem.getByte(at) == 0) {
        throw JsonErrors.broken(path, "is UTF-16 or UTF-32 text; convert it to UTF-8", null);
      }
    }
    boolean mark = size >= 3 && two == 0xBBEF && (Mem.getByte(start + 2) & 0xFF) == 0xBF;
    return mark ? 3 : 0;
  }

  /** Objects are in lines if the first one is alone in its own, or does not end in it. */
  private @Nullable JsonForm form(long first) {
    byte bracket = Mem.getByte(first);
    if (bracket == '[') {
      return JsonForm.ARRAY;
    }
    if (bracket != '{') {
      throw errors.notJson(
          first, "it is not JSON with objects: an object or an array of objects is wanted", null);
    }
    long lineEnd = JsonScanner.lineEnd(first, end);
    long objectEnd = JsonScanner.valueEnd(first, end);
    if (objectEnd == JsonScanner.NONE) {
      // In a larger sample the object may end, behind its line.
      return whole || end - start >= LARGEST && lineEnd < end ? JsonForm.LINES : null;
    }
    return objectEnd <= lineEnd && JsonScanner.skipBlanks(objectEnd, lineEnd) == lineEnd
        ? JsonForm.LINES
        : JsonForm.CONCATENATED;
  }

  private void sample(JsonForm form, long data) {
    int most = options.sampleRows() > 0 ? options.sampleRows() : Integer.MAX_VALUE;
    JsonRecords records = new JsonRecords(form, errors, options.ignoreErrors(), new Values());
    JsonScanner.ObjectRuns read =
        (from, to, count) -> {
          if (rows < most) {
            rows += records.read(from, to, most - rows);
          }
        };
    if (form == JsonForm.LINES) {
      long sampleEnd = end;
      while (!whole && sampleEnd > data && Mem.getByte(sampleEnd - 1) != '\n') {
        sampleEnd--; // a line that may be cut off
      }
      JsonScanner.cutLines(data, sampleEnd, RUN, read);
    } else {
      JsonScanner.cutValues(data, end, RUN, form == JsonForm.ARRAY, whole ? errors : null, read);
    }
  }

  private final class Values implements JsonRecords.Visitor {
    @Override
    public void value(int row, String key, JsonToken token, long at) {
      JsonEvidence known = known(key);
      if (!token.isStructStart()) {
        known.add(at, JsonScanner.valueEnd(at, end));
      }
    }

    @Override
    public void nested(String key, long at, long valueEnd) {
      known(key).add(at, valueEnd);
    }
  }

  private JsonEvidence known(String key) {
    JsonEvidence known = evidence.get(key);
    if (known == null) {
      known = new JsonEvidence(looked);
      evidence.put(key, known);
      if (evidence.size() > MOST_COLUMNS) {
        throw JsonErrors.broken(
            path,
            "has more than %,d different keys; name those that are wanted, as read_json('%s', columns => {'id': 'BIGINT'})"
                .formatted(MOST_COLUMNS, path.getFileName()),
            null);
      }
    }
    return known;
  }

  private JsonLayout layout(JsonForm form, long data) {
    List<JsonColumn> columns = new ArrayList<>();
    Map<String, NestedType> only = options.columns();
    if (only != null) {
      only.forEach((name, type) -> columns.add(JsonColumn.of(name, type, true)));
    } else {
      Map<String, NestedType> types = options.types();
      evidence.forEach((name, known) -> {
        NestedType type = types.get(name);
        columns.add(
            type != null
                ? JsonColumn.of(name, type, true)
                : JsonColumn.of(name, options.common().getOrDefault(name, known.type()), false));
      });
      types.forEach((name, type) -> {
        if (!evidence.containsKey(name)) {
          columns.add(JsonColumn.of(name, type, true));
        }
      });
    }
    if (columns.isEmpty()) {
      throw JsonErrors.broken(
          path,
          "has no object with keys; name its columns, as read_json('%s', columns => {'id': 'BIGINT'})"
              .formatted(path.getFileName()),
          null);
    }
    return new JsonLayout(
        form, data - start, List.copyOf(columns), only != null, options.ignoreErrors());
  }
}
