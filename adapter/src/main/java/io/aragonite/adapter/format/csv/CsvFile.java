package io.aragonite.adapter.format.csv;

import io.aragonite.adapter.format.CutTimes;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.ForeignKeyHint;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TextFile;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Mem;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A delimited text file as a table. It is mapped into memory (a compressed one is unpacked into the
 * folder of spill files when it is first read, and so is one whose lines end with carriage returns)
 * and cut into runs of records.
 */
public final class CsvFile implements TableFile {
  private final CutTimes cutTimes = new CutTimes();

  /** Bytes of a part. */
  private static final long PART = 4 << 20;

  private final Path path;
  private final CsvOptions options;
  private final TextFile file;
  private final long partBytes;
  private final boolean carriageReturns;
  private final CsvLayout layout;
  private @Nullable List<FilePart> parts;
  private long rejected;
  private long firstRejected;

  /**
   * A file with the options of the side-car file {@code <name>.json}, if there is one.
   *
   * @param unpacking for a compressed file
   * @throws AragoniteException FILE_BROKEN
   */
  public static CsvFile open(Path path, Unpacking unpacking) {
    return new CsvFile(path, CsvOptions.beside(path), unpacking, PART);
  }

  public static CsvFile open(Path path, CsvOptions options, Unpacking unpacking) {
    return new CsvFile(path, options, unpacking, PART);
  }

  /**
   * @param partBytes least bytes of a part
   */
  CsvFile(Path path, CsvOptions options, Unpacking unpacking, long partBytes) {
    this.path = path;
    this.file = new TextFile(path, unpacking);
    this.options = options;
    this.partBytes = partBytes;
    boolean done = false;
    try {
      byte[] sample = sample();
      carriageReturns =
          CarriageReturnInput.endsLines(
              sample, sample.length, CsvSniffer.quote(options), isWhole(sample));
      layout = file.isCompressed() || carriageReturns ? copiedLayout() : mappedLayout();
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
    return CsvErrors.broken(path, "cannot be read: " + FileErrors.reason(e), e);
  }

  private CsvLayout mappedLayout() throws IOException {
    MemorySegment text = file.mapped();
    long end = text.address() + Math.min(text.byteSize(), CsvSniffer.SAMPLE);
    boolean whole = text.byteSize() <= CsvSniffer.SAMPLE;
    return new CsvSniffer(path, options, text.address(), end, whole).layout();
  }

  /** The first bytes as they are in the file, and one more if there are more. */
  private byte[] sample() throws IOException {
    try (InputStream in = file.bytes()) {
      return in.readNBytes(CsvSniffer.SAMPLE + 1);
    }
  }

  private static boolean isWhole(byte[] sample) {
    return sample.length <= CsvSniffer.SAMPLE;
  }

  /** The text, whose records end with newlines. */
  private InputStream records() throws IOException {
    InputStream in = file.bytes();
    return carriageReturns
        ? new CarriageReturnInput(
            new BufferedInputStream(in, 1 << 16),
            CsvSniffer.delimiters(options),
            CsvSniffer.quote(options))
        : in;
  }

  private CsvLayout copiedLayout() throws IOException {
    return TextFile.sample(
        this::records,
        CsvSniffer.SAMPLE,
        (start, end, whole) -> new CsvSniffer(path, options, start, end, whole).layout());
  }

  private MemorySegment text() {
    try {
      return file.text(this::records);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Where the data ends, line ends at the end of the file not counted. */
  static long trimEnd(long start, long end) {
    while (end > start && (Mem.getByte(end - 1) == '\n' || Mem.getByte(end - 1) == '\r')) {
      end--;
    }
    return end;
  }

  @Override
  public List<FileColumn> columns() {
    return layout.columns().stream().map(CsvColumn::column).toList();
  }

  /** Whether the file has no value of a column, so that its type may as well be another. */
  public boolean unseen(int column) {
    return layout.columns().get(column).unseen();
  }

  @Override
  public List<String> primaryKey() {
    return options.primaryKey();
  }

  @Override
  public List<ForeignKeyHint> foreignKeys() {
    return options.foreignKeys();
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
    MemorySegment text = text();
    List<FilePart> found = new ArrayList<>();
    if (text.byteSize() == 0) {
      return found;
    }
    CsvErrors errors = new CsvErrors(path, text.address());
    long start = text.address() + layout.dataOffset();
    long end = text.address() + text.byteSize();
    if (layout.columns().size() > 1) {
      // Of a single column an empty line is a record.
      end = trimEnd(start, end);
    }
    long open =
        layout
            .scanner()
            .cut(
                start,
                end,
                partBytes,
                layout.lenient(),
                range -> {
                  // The newline that ends a part is no part of its last record.
                  long partEnd = range.end();
                  if (Mem.getByte(partEnd - 1) == '\n') {
                    partEnd--;
                  }
                  if (partEnd - range.start() > Integer.MAX_VALUE - 64) {
                    throw CsvErrors.broken(path, "has a record of more than 2 GB", null);
                  }
                  CsvPart part =
                      new CsvPart(
                          layout,
                          errors,
                          range.start(),
                          partEnd,
                          range.rows(),
                          cutTimes,
                          at -> reject(errors, at));
                  if (part.rows() > 0) {
                    found.add(part);
                  }
                });
    if (open != CsvScanner.NONE) {
      throw errors.openQuote(open);
    }
    return List.copyOf(found);
  }

  /** Says that the record which begins there is left out. */
  private void reject(CsvErrors errors, long at) {
    if (rejected++ == 0) {
      firstRejected = errors.line(at);
    }
  }

  @Override
  public synchronized @Nullable String notice() {
    return rejected == 0
        ? null
        : "%s has %,d record%s with other fields than its columns, or values of other types, the first in line %,d: ignore_errors leaves them out"
            .formatted(path, rejected, rejected == 1 ? "" : "s", firstRejected);
  }

  @Override
  public synchronized void close() {
    file.close();
  }
}
