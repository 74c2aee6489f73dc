package io.aragonite.adapter.format.csv;

import io.aragonite.adapter.format.ColumnNames;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.type.DataType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds a delimited file's layout from its options and its first bytes. */
final class CsvSniffer {
  /** Bytes of a sample. */
  static final int SAMPLE = 1 << 20;

  private static final char[] DELIMITERS = {',', ';', '\t', '|'};
  private static final int TRIAL_RECORDS = 100;

  private final Path path;
  private final CsvOptions options;
  private final long start;
  private final long sampleEnd;

  /** The same without the line ends at the end of the file. */
  private final long end;

  private final long first;
  private final boolean whole;
  private final int quote;

  /**
   * @param start the first byte of a sample in memory
   * @param whole whether the sample is the whole file
   */
  CsvSniffer(Path path, CsvOptions options, long start, long end, boolean whole) {
    this.path = path;
    this.options = options;
    this.start = start;
    this.whole = whole;
    this.sampleEnd = end;
    this.first = afterLines(options.skip(), start + markLength(start, end), end);
    this.end = whole ? CsvFile.trimEnd(first, end) : end;
    this.quote = quote(options);
  }

  /** The quote; -1 if there is none. */
  static int quote(CsvOptions options) {
    String declared = options.quote();
    return declared == null ? '"' : declared.isEmpty() ? -1 : declared.charAt(0);
  }

  /** What may end a field. */
  static String delimiters(CsvOptions options) {
    Character declared = options.delimiter();
    return declared == null ? String.valueOf(DELIMITERS) : String.valueOf(declared);
  }

  private long markLength(long at, long sampleEnd) {
    long size = sampleEnd - at;
    int two = size < 2 ? 0 : Mem.getShort(at) & 0xFFFF;
    if (two == 0xFFFE || two == 0xFEFF) {
      throw CsvErrors.broken(path, "is UTF-16 text; convert it to UTF-8", null);
    }
    boolean mark = size >= 3 && two == 0xBBEF && (Mem.getByte(at + 2) & 0xFF) == 0xBF;
    return mark ? 3 : 0;
  }

  /** Where the text begins that stands behind some lines. */
  private static long afterLines(int lines, long from, long sampleEnd) {
    long at = from;
    for (int i = 0; i < lines; i++) {
      while (at < sampleEnd && Mem.getByte(at) != '\n') {
        at++;
      }
      at = Math.min(sampleEnd, at + 1);
    }
    return at;
  }

  /** Behind the end of a line, which may be among those that do not count for types. */
  private long behindLine(long stop) {
    long at = stop;
    if (at + 1 < sampleEnd && Mem.getByte(at) == '\r' && Mem.getByte(at + 1) == '\n') {
      at++;
    }
    return Math.min(sampleEnd, at + 1);
  }

  CsvLayout layout() {
    NullTexts nulls = new NullTexts(options.nulls());
    if (first >= end) {
      return empty(nulls);
    }
    char delimiter = delimiter();
    CsvScanner scanner = new CsvScanner(delimiter, quote);
    CsvField field = new CsvField(scanner, quote);
    List<String> names = new ArrayList<>();
    List<long[]> firstFields = new ArrayList<>();
    long at = first;
    while (true) {
      if (!field.find(at, end)) {
        throw unreadable(at);
      }
      names.add(field.text());
      firstFields.add(
          new long[] {
            field.from, field.to, Utf8.isValid(field.from, field.to - field.from) ? 1 : 0
          });
      if (CsvScanner.isRecordEnd(field.stop, end)) {
        break;
      }
      at = field.stop + 1;
    }
    if (field.stop >= end && !whole) {
      throw CsvErrors.broken(
          path,
          "has a first line of more than %,d bytes; is it delimited text?".formatted(SAMPLE),
          null);
    }
    long second = behindLine(field.stop);
    boolean[] recurs = new boolean[names.size()];
    List<TypeEvidence> evidence =
        evidence(scanner, field, nulls, Math.min(end, second), firstFields, recurs);
    Boolean declared = options.header();
    boolean header =
        declared != null ? declared : isHeader(firstFields, evidence, recurs, field, nulls);
    if (header && firstFields.stream().anyMatch(bounds -> bounds[2] == 0)) {
      throw CsvErrors.broken(
          path, "has a header that is not UTF-8 text; convert it to UTF-8", null);
    }
    if (!header) {
      addFirst(firstFields, evidence, nulls, field);
    }
    List<String> unique = header ? ColumnNames.distinct(names) : numbered(names.size());
    return new CsvLayout(
        delimiter,
        quote,
        (header ? second : first) - start,
        columns(unique, header, evidence),
        nulls,
        options.ignoreErrors());
  }

  private RuntimeException unreadable(long at) {
    return whole
        ? new CsvErrors(path, start).openQuote(at)
        : CsvErrors.broken(
            path,
            "has a quoted field in its first record that does not end within %,d bytes; declare another \"quote\" in %s"
                .formatted(SAMPLE, sideCar()),
            null);
  }

  private String sideCar() {
    return CsvOptions.declaredIn(path);
  }

  private CsvLayout empty(NullTexts nulls) {
    if (options.columns().isEmpty()) {
      throw CsvErrors.broken(
          path,
          "is empty; give it a header line, or declare its columns in %s".formatted(sideCar()),
          null);
    }
    List<CsvColumn> columns =
        options.columns().stream().map(c -> CsvColumn.declared(c.name(), c.type())).toList();
    Character declared = options.delimiter();
    return new CsvLayout(
        declared == null ? ',' : declared,
        quote,
        first - start,
        columns,
        nulls,
        options.ignoreErrors());
  }

  /** The delimiter that gives the first records the same number of fields, and most fields. */
  private char delimiter() {
    Character declared = options.delimiter();
    if (declared != null) {
      return declared;
    }
    String name = String.valueOf(path.getFileName());
    if (name.endsWith(".tsv") || name.endsWith(".tsv.gz")) {
      return '\t';
    }
    char best = ',';
    int bestScore = 0;
    for (char candidate : DELIMITERS) {
      int score = score(new CsvScanner(candidate, quote));
      if (score > bestScore) {
        best = candidate;
        bestScore = score;
      }
    }
    return best;
  }

  private int score(CsvScanner scanner) {
    int expected = 0;
    int fields = 0;
    int same = 0;
    int records = 0;
    long at = first;
    while (at < end && records < TRIAL_RECORDS) {
      long stop = scanner.fieldEnd(at, end);
      if (stop == CsvScanner.NONE || (stop >= end && !whole)) {
        break;
      }
      fields++;
      at = stop + 1;
      if (CsvScanner.isRecordEnd(stop, end)) {
        expected = records == 0 ? fields : expected;
        same += fields == expected ? 1 : 0;
        records++;
        fields = 0;
      }
    }
    // A delimiter that fits all records is better than any that does not.
    int wide = Math.min(expected, 100_000);
    return expected < 2 ? 0 : same == records ? 1_000_000 + wide : 1_000 * same / records;
  }

  /**
   * What the records behind the first one tell.
   *
   * @param firstFields bounds of the first record's fields
   * @param recurs set where a value of the first record is found again in its column
   */
  private List<TypeEvidence> evidence(
      CsvScanner scanner,
      CsvField field,
      NullTexts nulls,
      long from,
      List<long[]> firstFields,
      boolean[] recurs) {
    int columns = recurs.length;
    ValueParser parser = new ValueParser();
    List<TypeEvidence> evidence = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      evidence.add(new TypeEvidence(parser));
    }
    long at = from;
    int column = 0;
    while (at < end || (column > 0 && at == end && whole)) {
      // The last field of a sample may be cut off; a broken record is reported when it is read.
      boolean found = field.find(at, end);
      if (!found && isLeftOut(scanner, at)) {
        at = CsvScanner.brokenEnd(at, end) + 1;
        column = 0;
        continue;
      }
      if (!found || (field.stop >= end && !whole)) {
        break;
      }
      if (column < columns) {
        add(evidence.get(column), field, nulls);
        recurs[column] |= isSame(field, firstFields.get(column));
      }
      column = CsvScanner.isRecordEnd(field.stop, end) ? 0 : column + 1;
      at = field.stop + 1;
    }
    return evidence;
  }

  /** Whether the record of a broken field is left out, and the field is not only cut off. */
  private boolean isLeftOut(CsvScanner scanner, long at) {
    return options.ignoreErrors() && (whole || scanner.closingQuote(at, end) != CsvScanner.NONE);
  }

  private static boolean isSame(CsvField field, long[] bounds) {
    long length = field.to - field.from;
    if (length == 0 || length != bounds[1] - bounds[0]) {
      return false;
    }
    for (long i = 0; i < length; i++) {
      if (Mem.getByte(field.from + i) != Mem.getByte(bounds[0] + i)) {
        return false;
      }
    }
    return true;
  }

  private static void add(TypeEvidence evidence, CsvField field, NullTexts nulls) {
    if (!nulls.isNull(field) && !nulls.isWord(field)) {
      evidence.add(field.from, field.to);
    }
  }

  private static void addFirst(
      List<long[]> fields, List<TypeEvidence> evidence, NullTexts nulls, CsvField field) {
    for (int i = 0; i < fields.size(); i++) {
      field.from = fields.get(i)[0];
      field.to = fields.get(i)[1];
      add(evidence.get(i), field, nulls);
    }
  }

  /**
   * Whether the first record looks like names: a text stands over values of another type, or all of
   * it is text and none is found again in its column.
   */
  private static boolean isHeader(
      List<long[]> fields,
      List<TypeEvidence> evidence,
      boolean[] recurs,
      CsvField field,
      NullTexts nulls) {
    boolean allText = true;
    for (int i = 0; i < fields.size(); i++) {
      long from = fields.get(i)[0];
      long to = fields.get(i)[1];
      field.from = from;
      field.to = to;
      if (from == to || nulls.isWord(field)) {
        continue; // no value, and hardly a name
      }
      if (!evidence.get(i).fits(from, to) && isText(from, to)) {
        return true;
      }
      allText &= isText(from, to) && !recurs[i];
    }
    return allText;
  }

  private static boolean isText(long from, long to) {
    TypeEvidence alone = new TypeEvidence(new ValueParser());
    alone.add(from, to);
    return alone.type().kind().isText();
  }

  private static List<String> numbered(int count) {
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      names.add("column" + i);
    }
    return names;
  }

  private List<CsvColumn> columns(List<String> names, boolean header, List<TypeEvidence> evidence) {
    List<CsvOptions.DeclaredColumn> declared = options.columns();
    if (!header && declared.size() > names.size()) {
      throw CsvErrors.broken(
          path,
          "has %,d fields in its first record, but %,d columns are declared in %s"
              .formatted(names.size(), declared.size(), sideCar()),
          null);
    }
    Map<String, DataType> byName = new HashMap<>();
    for (CsvOptions.DeclaredColumn column : declared) {
      if (header && !names.contains(column.name())) {
        throw CsvErrors.broken(
            path,
            "has no column \"%s\", which is declared in %s; its header has %s"
                .formatted(column.name(), sideCar(), names.subList(0, Math.min(20, names.size()))),
            null);
      }
      byName.put(column.name(), column.type());
    }
    List<CsvColumn> columns = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String name = !header && i < declared.size() ? declared.get(i).name() : names.get(i);
      @Nullable DataType type =
          header ? byName.get(name) : i < declared.size() ? declared.get(i).type() : null;
      columns.add(
          type != null
              ? CsvColumn.declared(name, type)
              : CsvColumn.sampled(name, evidence.get(i), whole));
    }
    return List.copyOf(columns);
  }
}
