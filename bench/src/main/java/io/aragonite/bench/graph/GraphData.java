package io.aragonite.bench.graph;

import io.aragonite.bench.data.Zipf;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * An undirected graph without loops and repeated edges.
 *
 * @param edges once each: the smaller node in the high half, the larger one in the low half
 * @param nodes nodes are 0 to {@code nodes - 1}
 */
public record GraphData(long[] edges, int nodes) {
  /** How edges are placed. */
  public enum GraphKind {
    /**
     * Evenly, among as many nodes as Wu, Zinn, Aref and Yalamanchili have for cliques of three:
     * edges^((C-1)/(2C-4)).
     */
    RANDOM3,
    /** Evenly, among as many nodes as they have for cliques of four. */
    RANDOM4,
    /** Both ends by Zipf's law with exponent 0.8, eight edges a node. */
    ZIPF,
    /** R-MAT with Graph500's probabilities 0.57, 0.19, 0.19, 0.05, eight edges a node or more. */
    RMAT
  }

  private static final int BATCH_ROWS = 1 << 22;
  private static final double ZIPF_EXPONENT = 0.8;

  /** Makes a graph of about {@code count} edges: those that came twice are left out. */
  public static GraphData make(GraphKind kind, int count, long seed) {
    int nodes =
        (int)
            switch (kind) {
              case RANDOM3 -> count;
              case RANDOM4 -> Math.round(Math.pow(count, 0.75));
              case ZIPF -> Math.max(2, count / 8);
              case RMAT -> Math.max(2, Integer.highestOneBit(count / 8));
            };
    long[] edges = new long[count];
    int part = 1 << 16;
    IntStream.range(0, (count + part - 1) / part)
        .parallel()
        .forEach(p -> {
          SplittableRandom random = new SplittableRandom(seed * 1_000_003 + p);
          int end = (int) Math.min(count, (p + 1L) * part);
          for (int i = p * part; i < end; i++) {
            edges[i] = edge(kind, nodes, random);
          }
        });
    Arrays.parallelSort(edges);
    int kept = 0;
    for (long edge : edges) {
      if (kept == 0 || edges[kept - 1] != edge) {
        edges[kept++] = edge;
      }
    }
    return new GraphData(Arrays.copyOf(edges, kept), nodes);
  }

  private static long edge(GraphKind kind, int nodes, SplittableRandom random) {
    while (true) {
      long a;
      long b;
      switch (kind) {
        case RMAT -> {
          a = 0;
          b = 0;
          for (int bit = 1; bit < nodes; bit <<= 1) {
            double p = random.nextDouble();
            a = 2 * a + (p >= 0.76 ? 1 : 0);
            b = 2 * b + (p >= 0.57 && p < 0.76 || p >= 0.95 ? 1 : 0);
          }
        }
        case ZIPF -> {
          a = zipf(nodes, random);
          b = zipf(nodes, random);
        }
        default -> {
          a = random.nextInt(nodes);
          b = random.nextInt(nodes);
        }
      }
      if (a != b) {
        return Math.min(a, b) << 32 | Math.max(a, b);
      }
    }
  }

  /** By inversion of the continuous law. */
  private static long zipf(int nodes, SplittableRandom random) {
    double share = 1 - ZIPF_EXPONENT;
    double u = random.nextDouble();
    double x = Math.pow(1 + u * (Math.pow(nodes + 1.0, share) - 1), 1 / share);
    return Math.clamp((long) x - 1, 0, nodes - 1);
  }

  /** Rows of the table of edges: both directions. */
  public int rows() {
    return 2 * edges.length;
  }

  private int source(int row) {
    long edge = edges[row >> 1];
    return (int) ((row & 1) == 0 ? edge >>> 32 : edge);
  }

  private int target(int row) {
    return source(row ^ 1);
  }

  /** Writes a table with the columns SRC and DST, each edge in both directions, as Arrow. */
  public void writeArrow(Path file) throws IOException {
    FieldType type = FieldType.notNullable(new ArrowType.Int(32, true));
    Schema schema = new Schema(List.of(new Field("src", type, null), new Field("dst", type, null)));
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        ArrowFileWriter writer = new ArrowFileWriter(root, null, channel)) {
      IntVector sources = (IntVector) root.getVector("src");
      IntVector targets = (IntVector) root.getVector("dst");
      for (int from = 0; from < rows(); from += BATCH_ROWS) {
        int count = Math.min(BATCH_ROWS, rows() - from);
        sources.allocateNew(count);
        targets.allocateNew(count);
        for (int i = 0; i < count; i++) {
          sources.set(i, source(from + i));
          targets.set(i, target(from + i));
        }
        root.setRowCount(count);
        writer.writeBatch();
      }
      writer.end();
    }
  }

  /** Writes the same table as CSV, for engines that do not read Arrow. */
  public void writeCsv(Path file) throws IOException {
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      writer.write("src,dst\n");
      for (int row = 0; row < rows(); row++) {
        writer.write(source(row) + "," + target(row) + "\n");
      }
    }
  }
}
