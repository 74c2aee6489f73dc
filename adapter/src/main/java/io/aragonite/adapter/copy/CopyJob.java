package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FilePattern;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.ZonedTimes;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** Writes the rows of a query to a file, or to a folder of files by the values of some columns. */
public final class CopyJob {
  private static final int BUFFER = 1 << 16;

  private final CopyOptions options;
  private final List<String> names;
  private final List<NestedType> types;
  private final BitSet uuids;
  private final String zone;
  private final CopyMemory memory;

  /**
   * @param names of the query's columns, those of {@code partitionBy} last
   * @param types of the query's columns
   * @param uuids which columns are UUIDs
   * @param zone in which texts of instants are
   */
  public CopyJob(
      CopyOptions options,
      List<String> names,
      List<NestedType> types,
      BitSet uuids,
      String zone,
      CopyMemory memory) {
    this.options = options;
    this.names = names;
    this.types = types;
    this.uuids = uuids;
    this.zone = zone;
    this.memory = memory;
  }

  /**
   * Writes all rows; what fails, or is cancelled, leaves nothing.
   *
   * @param batches rows, in the order of {@code partitionBy}
   * @return how many
   * @throws AragoniteException FILE_UNREADABLE, and what ends the query
   */
  public long write(QueryBatches batches, Path path, int threads, StopCheck stop) {
    boolean folder = !options.partitionBy().isEmpty();
    try (CopyTarget target = new CopyTarget(path, folder, options.overwrite());
        CopyWriter writer = new CopyWriter(threads, memory, stop)) {
      try {
        long rows =
            folder
                ? partitions(batches, target, writer)
                : file(batches, target.temporary(), writer);
        stop.check();
        target.commit();
        return rows;
      } catch (IOException e) {
        throw target.wrong(FileErrors.reason(e), e);
      }
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.FILE_UNREADABLE,
          "%s cannot be written: %s.".formatted(path, FileErrors.reason(e)),
          e);
    }
  }

  private long file(QueryBatches batches, Path path, CopyWriter writer) throws IOException {
    long rows = 0;
    try (FileOutput output = open(path, batches)) {
      while (batches.next()) {
        VectorSchemaRoot root = batches.root();
        writer.write(output, batches, 0, root.getRowCount());
        rows += root.getRowCount();
        makeRoom(writer, root);
      }
      writer.finish(output);
    }
    return rows;
  }

  /** Rows of one partition come one after the other: a file is open at a time. */
  private long partitions(QueryBatches batches, CopyTarget target, CopyWriter writer)
      throws IOException {
    Files.createDirectory(target.temporary());
    long rows = 0;
    FileOutput output = null;
    String present = null;
    try {
      while (batches.next()) {
        VectorSchemaRoot root = batches.root();
        int count = root.getRowCount();
        for (int from = 0; from < count; ) {
          String folder = folder(root, from);
          int to = from + 1;
          while (to < count && folder.equals(folder(root, to))) {
            to++;
          }
          if (output == null || !folder.equals(present)) {
            finish(writer, output);
            output = null;
            Path parent = Files.createDirectories(target.temporary().resolve(folder));
            output = open(parent.resolve("data" + options.format().extension()), batches);
            present = folder;
          }
          writer.write(output, batches, from, to);
          from = to;
        }
        rows += count;
        makeRoom(writer, root);
      }
      finish(writer, output);
      output = null;
    } finally {
      if (output != null) {
        output.close();
      }
    }
    return rows;
  }

  /** For rows as those that are there: the next ones are loaded beside them. */
  private static void makeRoom(CopyWriter writer, VectorSchemaRoot root) throws IOException {
    long bytes = 0;
    for (FieldVector vector : root.getFieldVectors()) {
      bytes += vector.getBufferSize();
    }
    writer.makeRoom(2 * bytes);
  }

  private static void finish(CopyWriter writer, @Nullable FileOutput output) throws IOException {
    if (output != null) {
      try (output) {
        writer.finish(output);
      }
    }
  }

  private int written() {
    return names.size() - options.partitionBy().size();
  }

  private String folder(VectorSchemaRoot root, int row) {
    StringBuilder folder = new StringBuilder();
    for (int i = written(); i < names.size(); i++) {
      FieldVector vector = root.getVector(i);
      NestedType column = types.get(i);
      Object value =
          switch (vector) {
            case DateDayVector days when !days.isNull(row) -> LocalDate.ofEpochDay(days.get(row));
            case TimeStampVector times
                when !times.isNull(row)
                    && column instanceof Scalar(DataType type)
                    && type.kind() == TypeKind.INSTANT ->
                ZonedTimes.text(zone, times.get(row), type.timestampUnit());
            case TimeStampVector times when !times.isNull(row) -> text(times, row);
            case TimeMicroVector times when !times.isNull(row) -> text(times, row);
            case VarBinaryVector bytes when !bytes.isNull(row) -> text(bytes, row);
            default -> vector.getObject(row);
          };
      folder
          .append(i == written() ? "" : "/")
          .append(encoded(names.get(i)))
          .append('=')
          .append(value == null ? FilePattern.NULL_VALUE : word(value.toString()));
    }
    return folder.toString();
  }

  /** As delimited files have it. */
  private String text(FieldVector vector, int row) {
    CsvText text = CsvText.small();
    CsvOutput.plainCells(vector, text, zone).write(row);
    return new String(text.since(0), StandardCharsets.US_ASCII);
  }

  /** A value; a text that reads as null begins with an escape. */
  private static String word(String text) {
    String word = encoded(text);
    return word.equals(FilePattern.NULL_VALUE) ? "%5F" + word.substring(1) : word;
  }

  /** As a part of a folder's name; {@link FilePattern#partitions} undoes it. */
  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
  }

  private FileOutput open(Path path, QueryBatches batches) throws IOException {
    FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    boolean done = false;
    try {
      FileOutput output = output(file, batches);
      done = true;
      return output;
    } finally {
      if (!done) {
        file.close();
      }
    }
  }

  private FileOutput output(FileChannel file, QueryBatches batches) throws IOException {
    QueryWords words = new QueryWords(batches.dictionaries());
    List<String> columns = names.subList(0, written());
    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(file), BUFFER);
    return switch (options.format()) {
      case PARQUET -> new ParquetOutput(out, options.compression(), fields(), words);
      case CSV -> new CsvOutput(out, options, columns, words, zone);
      case JSON -> new JsonOutput(out, options.array(), columns, types, zone);
      case ARROW ->
          new ArrowOutput(
              file,
              batches.root().getSchema().getFields().subList(0, written()),
              types,
              uuids,
              memory.allocator());
    };
  }

  private List<WrittenField> fields() {
    List<WrittenField> fields = new ArrayList<>();
    for (int i = 0; i < written(); i++) {
      String name = names.get(i);
      fields.add(
          types.get(i) instanceof Scalar(DataType type)
              ? new ParquetField(name, type, uuids.get(i))
              : new NestedField(name, types.get(i)));
    }
    return fields;
  }
}
