package io.aragonite.adapter;

import io.aragonite.adapter.format.DuckDb;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.deletes.BaseDVFileWriter;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/** Writes Iceberg tables with Iceberg's library, whose data files DuckDB writes. */
final class IcebergWriter implements TableOperations {
  private final Path folder;
  private final DuckDb duck;
  private int version;
  private @Nullable TableMetadata current;
  private final Table table;

  IcebergWriter(
      Path folder, DuckDb duck, int format, Schema schema, PartitionSpec spec, String... properties)
      throws IOException {
    this.folder = folder;
    this.duck = duck;
    Files.createDirectories(folder.resolve("metadata"));
    Files.createDirectories(folder.resolve("data"));
    Map<String, String> given = new HashMap<>(Map.of("format-version", String.valueOf(format)));
    for (int i = 0; i < properties.length; i += 2) {
      given.put(properties[i], properties[i + 1]);
    }
    commit(
        null,
        TableMetadata.newTableMetadata(
            schema, spec, SortOrder.unsorted(), "file:" + folder, given));
    table = new BaseTable(this, "test", report -> {});
  }

  Table table() {
    return table;
  }

  /** The location of a file with rows of a query, whose columns have the numbers given. */
  String parquet(String name, String query, String fieldIds) throws SQLException {
    Path file = folder.resolve("data").resolve(name);
    String ids = fieldIds.isEmpty() ? "" : ", field_ids {" + fieldIds + "}";
    duck.execute("copy (" + query + ") to '" + file + "' (format parquet" + ids + ")");
    return "file:" + file;
  }

  /**
   * Adds a data file.
   *
   * @param partition {@code key=value/...}; empty: none
   * @param bounds least and largest values by column, in Iceberg's form
   */
  DataFile append(String location, long rows, String partition, Map<String, List<?>> bounds)
      throws IOException {
    DataFile file = file(location, rows, partition, bounds);
    table.newAppend().appendFile(file).commit();
    return file;
  }

  DataFile file(String location, long rows, String partition, Map<String, List<?>> bounds)
      throws IOException {
    Map<Integer, ByteBuffer> low = new HashMap<>();
    Map<Integer, ByteBuffer> high = new HashMap<>();
    Map<Integer, Long> values = new HashMap<>();
    Map<Integer, Long> nulls = new HashMap<>();
    bounds.forEach((column, ends) -> {
      Types.NestedField field = table.schema().findField(column);
      low.put(field.fieldId(), Conversions.toByteBuffer(field.type(), ends.getFirst()));
      high.put(field.fieldId(), Conversions.toByteBuffer(field.type(), ends.getLast()));
      values.put(field.fieldId(), rows);
      nulls.put(field.fieldId(), 0L);
    });
    DataFiles.Builder builder =
        DataFiles.builder(table.spec())
            .withPath(location)
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(Files.size(local(location)))
            .withMetrics(new Metrics(rows, Map.of(), values, nulls, Map.of(), low, high));
    return (partition.isEmpty() ? builder : builder.withPartitionPath(partition)).build();
  }

  /** Deletes rows of a data file by a file of positions. */
  void deletePositions(String name, DataFile of, long... positions)
      throws SQLException, IOException {
    StringBuilder rows = new StringBuilder();
    for (long position : positions) {
      rows.append(rows.isEmpty() ? "" : ", ")
          .append("('%s', %d::bigint)".formatted(of.location(), position));
    }
    String location =
        parquet(
            name,
            "select * from (values " + rows + ") v(file_path, pos)",
            "file_path: 2147483546, pos: 2147483545");
    DeleteFile delete =
        FileMetadata.deleteFileBuilder(table.spec())
            .ofPositionDeletes()
            .withPath(location)
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(Files.size(local(location)))
            .withRecordCount(positions.length)
            .withPartition(of.partition())
            .build();
    table.newRowDelta().addDeletes(delete).commit();
  }

  /** Deletes rows of a data file by a deletion vector. */
  void deleteVector(String name, DataFile of, long... positions) throws IOException {
    String location = "file:" + folder.resolve("data").resolve(name);
    BaseDVFileWriter writer =
        new BaseDVFileWriter(() -> io().newOutputFile(location), path -> null);
    try (writer) {
      for (long position : positions) {
        writer.delete(of.location(), position, table.spec(), of.partition());
      }
    }
    var delta = table.newRowDelta();
    writer.result().deleteFiles().forEach(delta::addDeletes);
    delta.commit();
  }

  static Path local(String location) {
    return Path.of(location.startsWith("file:") ? location.substring(5) : location);
  }

  @Override
  public TableMetadata current() {
    return java.util.Objects.requireNonNull(current);
  }

  @Override
  public TableMetadata refresh() {
    return current();
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    version++;
    String location = metadataFileLocation("v" + version + ".metadata.json");
    TableMetadataParser.overwrite(metadata, io().newOutputFile(location));
    try {
      Files.writeString(folder.resolve("metadata/version-hint.text"), String.valueOf(version));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    current = TableMetadataParser.read(io(), location);
  }

  @Override
  public FileIO io() {
    return new LocalFiles();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return "file:" + folder.resolve("metadata").resolve(fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return LocationProviders.locationsFor("file:" + folder, Map.of());
  }

  @SuppressWarnings("serial")
  private static final class LocalFiles implements FileIO {
    @Override
    public InputFile newInputFile(String path) {
      return org.apache.iceberg.Files.localInput(local(path).toFile());
    }

    @Override
    public OutputFile newOutputFile(String path) {
      return org.apache.iceberg.Files.localOutput(local(path).toFile());
    }

    @Override
    public void deleteFile(String path) {
      throw new UnsupportedOperationException();
    }
  }
}
