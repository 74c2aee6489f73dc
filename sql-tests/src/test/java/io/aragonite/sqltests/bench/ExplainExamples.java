package io.aragonite.sqltests.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongToIntFunction;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Joins of generated tables whose best way differs for one reason each: the match ratio, skew, and
 * width. Prints what EXPLAIN says of each, and the times of all ways, forced by hints: {@code
 * ExplainExamples cpu|cuda LOG2_OF_R LOG2_OF_S [THREADS]}.
 */
public final class ExplainExamples {
  private static final int BATCH = 1 << 18;
  private static final int RUNS = 7;
  private static final int WIDE = 8;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> WAYS = List.of("NPHJ", "PHJ", "PHJ_UM", "SMJ", "SMJ_UM");

  private ExplainExamples() {}

  /** Makes the tables, explains and times. */
  public static void main(String[] arguments) throws Exception {
    String device = arguments[0];
    int ofR = Integer.parseInt(arguments[1]);
    int ofS = Integer.parseInt(arguments[2]);
    String threads = arguments.length > 3 ? ";threads=" + arguments[3] : "";
    Path folder = Files.createTempDirectory("aragonite-explain");
    long keys = 1L << ofR;
    long mask = keys - 1;
    write(folder, "r", keys, WIDE, i -> (int) (i * 0x2C1B3C6DL & mask));
    long rows = 1L << ofS;
    write(folder, "s", rows, WIDE, i -> (int) (mixed(i) & mask));
    write(
        folder,
        "few",
        rows,
        1,
        i -> (int) ((mixed(i) & mask) + ((mixed(i + rows) & 15) == 0 ? 0 : keys)));
    SplittableRandom random = new SplittableRandom(1);
    write(folder, "skewed", rows, 1, i -> (int) (zipf(random, keys) * 0x2C1B3C6DL & mask));
    Map<String, String> queries = new LinkedHashMap<>();
    queries.put("every row of S has a partner, eight columns of R", query("s", WIDE, 1));
    queries.put("match ratio: one row of S in 16 has one", query("few", WIDE, 1));
    queries.put("skew: keys of S by Zipf's law, exponent 1.5", query("skewed", WIDE, 1));
    queries.put("width: one column of R, eight of S", query("s", 1, WIDE));
    queries.put("width: one column each", query("s", 1, 1));
    try (Connection connection =
        DriverManager.getConnection(
            "jdbc:aragonite:device=%s;fallback=off;directory=%s%s"
                .formatted(device, folder, threads))) {
      for (Map.Entry<String, String> query : queries.entrySet()) {
        explain(connection, query.getKey(), query.getValue());
      }
    }
    for (String name : List.of("r", "s", "few", "skewed")) {
      Files.delete(folder.resolve(name + ".arrow"));
    }
    Files.delete(folder);
  }

  private static String query(String table, int ofR, int ofS) {
    StringBuilder sums = new StringBuilder();
    for (int i = 1; i <= ofR; i++) {
      sums.append(", sum(cast(r%d as bigint))".formatted(i));
    }
    for (int i = 1; i <= ofS; i++) {
      sums.append(", sum(cast(s.s%d as bigint))".formatted(i));
    }
    return "select %scount(*)" + sums + " from r join " + table + " s on r.k = s.k";
  }

  static long mixed(long x) {
    long y = (x + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
    y = (y ^ y >>> 32) * 0x94D049BB133111EBL;
    return y ^ y >>> 29;
  }

  /** Ranks whose shares fall as their power of -1.5: the inverse of the continuous law. */
  private static long zipf(SplittableRandom random, long keys) {
    double u = random.nextDouble();
    double least = 1 / Math.sqrt(keys);
    double root = 1 / (u + (1 - u) * least);
    return Math.min(keys - 1, (long) (root * root) - 1);
  }

  static void write(Path folder, String table, long rows, int columns, LongToIntFunction key)
      throws IOException {
    List<Field> fields = new ArrayList<>();
    FieldType type = FieldType.notNullable(new ArrowType.Int(32, true));
    fields.add(new Field("k", type, null));
    for (int c = 1; c <= columns; c++) {
      fields.add(new Field((table.equals("r") ? "r" : "s") + c, type, null));
    }
    try (RootAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), allocator);
        OutputStream out = Files.newOutputStream(folder.resolve(table + ".arrow"));
        ArrowFileWriter writer = new ArrowFileWriter(root, null, Channels.newChannel(out))) {
      for (long from = 0; from < rows; from += BATCH) {
        int count = (int) Math.min(BATCH, rows - from);
        root.getFieldVectors().forEach(vector -> ((IntVector) vector).allocateNew(count));
        for (int i = 0; i < count; i++) {
          ((IntVector) root.getVector(0)).set(i, key.applyAsInt(from + i));
        }
        for (int c = 1; c <= columns; c++) {
          IntVector vector = (IntVector) root.getVector(c);
          for (int i = 0; i < count; i++) {
            vector.set(i, (int) (from + i) + c);
          }
        }
        root.setRowCount(count);
        writer.writeBatch();
      }
    }
  }

  private static void explain(Connection connection, String what, String query)
      throws SQLException, IOException {
    String sql = query.formatted("");
    JsonNode join;
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("EXPLAIN AS JSON " + sql)) {
      rows.next();
      join = find(JSON.readTree(rows.getString(1)).path("plan"));
    }
    System.out.printf(
        Locale.ROOT,
        "%n%s%n%s%n  chosen: %s; expected: match ratio %.3f, most frequent key %.3f of the rows%n",
        what,
        sql,
        join.path("node").asText() + " " + join.path("variant").asText(),
        join.path("expected").path("matchRatio").asDouble(),
        join.path("expected").path("topShare").asDouble());
    join.path("candidates").forEach(candidate -> System.out.println("  " + candidate));
    for (String way : List.of("auto", "NPHJ", "PHJ", "PHJ_UM", "SMJ", "SMJ_UM")) {
      String forced = query.formatted(WAYS.contains(way) ? "/*+ " + way + " */ " : "");
      double best = Double.MAX_VALUE;
      for (int run = 0; run <= RUNS; run++) {
        long begin = System.nanoTime();
        try (Statement statement = connection.createStatement();
            ResultSet rows = statement.executeQuery(forced)) {
          rows.next();
        }
        best = run == 0 ? best : Math.min(best, (System.nanoTime() - begin) / 1e6);
      }
      System.out.printf(Locale.ROOT, "  %-7s %9.2f ms%n", way, best);
    }
  }

  private static JsonNode find(JsonNode node) {
    if (node.path("node").asText().endsWith("Join")) {
      return node;
    }
    for (JsonNode input : node.path("inputs")) {
      JsonNode found = find(input);
      if (!found.isMissingNode()) {
        return found;
      }
    }
    return node.path("none");
  }
}
