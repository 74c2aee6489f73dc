package io.aragonite.tpcds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.Dataset.DatasetTable;
import io.aragonite.dataset.DatasetWriter;
import io.aragonite.dataset.ProgressListener;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TpcdsDataTest {
  private static final double SCALE = 0.01;

  @TempDir private Path folder;

  /** Rows do not depend on how a table is split, nor on threads: of each kind of table one. */
  @Test
  void splitTablesAreTheSame() throws IOException, InterruptedException {
    Set<String> names = Set.of("web_sales", "catalog_returns", "customer", "item", "time_dim");
    Path split = Files.createDirectory(folder.resolve("split"));
    Path whole = Files.createDirectory(folder.resolve("whole"));
    Map<String, Long> rows = write(new TpcdsData(SCALE, 1000), names, split, 3);
    assertEquals(rows, write(new TpcdsData(SCALE, 1 << 30), names, whole, 1));
    assertEquals(11_876, rows.get("web_sales"));
    for (String name : names) {
      assertEquals(read(whole, name), read(split, name), name);
    }
  }

  private static Map<String, Long> write(
      TpcdsData data, Set<String> names, Path directory, int threads)
      throws IOException, InterruptedException {
    List<DatasetTable> tables =
        data.tables().stream().filter(table -> names.contains(table.name())).toList();
    return DatasetWriter.write(tables, directory, threads, ProgressListener.NONE);
  }

  private static List<String> read(Path directory, String table) throws IOException {
    List<String> rows = new ArrayList<>();
    try (FileChannel file = FileChannel.open(directory.resolve(Dataset.fileName(table)));
        BufferAllocator allocator = new RootAllocator();
        ArrowFileReader reader = new ArrowFileReader(file, allocator)) {
      while (reader.loadNextBatch()) {
        rows.addAll(reader.getVectorSchemaRoot().contentToTSVString().lines().skip(1).toList());
      }
    }
    return rows;
  }

  @Test
  void typesAndKeysAreThoseOfTheSpecification() {
    List<TpcdsTable> tables = TpcdsTable.all();
    assertEquals(24, tables.size());
    TpcdsTable sales =
        tables.stream()
            .filter(t -> t.tableName().equals("store_returns"))
            .findFirst()
            .orElseThrow();
    Schema schema = sales.schema();
    assertFalse(schema.findField("sr_item_sk").isNullable());
    assertTrue(schema.findField("sr_customer_sk").isNullable());
    assertEquals("Int(64, true)", schema.findField("sr_ticket_number").getType().toString());
    assertEquals("Decimal(7, 2, 128)", schema.findField("sr_fee").getType().toString());
    Map<String, String> metadata = schema.getCustomMetadata();
    assertEquals("sr_item_sk,sr_ticket_number", metadata.get("aragonite.primaryKey"));
    String references = metadata.get("aragonite.foreignKeys");
    assertTrue(references.contains("sr_store_sk->store(s_store_sk)"), references);
    assertTrue(
        references.endsWith(
            "sr_item_sk,sr_ticket_number->store_sales(ss_item_sk,ss_ticket_number)"),
        references);
  }

  @Test
  void decimalsAreExact() {
    assertEquals(-1205, TpcdsRows.unscaled("-12.05", 2));
    assertEquals(-500, TpcdsRows.unscaled("-5", 2));
    assertEquals(1050, TpcdsRows.unscaled("10.5", 2));
    assertThrows(NumberFormatException.class, () -> TpcdsRows.unscaled("1.005", 2));
    assertThrows(NumberFormatException.class, () -> TpcdsRows.unscaled("1e5", 2));
  }

  @Test
  void badScalesAreRefused() {
    for (double scale : new double[] {0, 0.009, 1e6, Double.NaN}) {
      assertThrows(IllegalArgumentException.class, () -> new TpcdsData(scale));
    }
    assertEquals("0.01", new TpcdsData(0.01).scale());
    assertEquals("1", new TpcdsData(1).scale());
  }
}
