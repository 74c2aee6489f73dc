package io.aragonite.spark.flight;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCPartition;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRDD;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCScan;
import org.apache.spark.sql.sources.TableScan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Some;

/**
 * The statements that Spark's JDBC source makes of what it has pushed, one for each of its
 * partitions. A task runs its statement when it reads it: one that is tried again runs it again.
 */
record FlightScan(List<String> statements, StructType schema, FlightServer server)
    implements Scan, Batch {
  /** One task's. */
  private record FlightPartition(String statement) implements InputPartition {}

  private record FlightReaderFactory(StructType schema, FlightServer server)
      implements PartitionReaderFactory {
    @Override
    public boolean supportColumnarReads(InputPartition partition) {
      return true;
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
      return new FlightReader(server, ((FlightPartition) partition).statement(), schema);
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      throw new UnsupportedOperationException("results of Flight come as columns");
    }
  }

  /** Of the JDBC source's scan. */
  static FlightScan of(JDBCScan scan, SparkSession session, FlightServer server) {
    TableScan relation = (TableScan) scan.toV1TableScan(session.sqlContext());
    RDD<?> rows = relation.buildScan();
    JDBCRDD jdbc = (JDBCRDD) rows;
    List<String> statements = new ArrayList<>();
    for (Partition partition : jdbc.getPartitions()) {
      statements.add(jdbc.generateJdbcQuery(new Some<>((JDBCPartition) partition)).strip());
    }
    return new FlightScan(List.copyOf(statements), scan.prunedSchema(), server);
  }

  @Override
  public StructType readSchema() {
    return schema;
  }

  /** On one line, as EXPLAIN has its nodes. */
  @Override
  public String description() {
    return "Aragonite by Flight from %s, Statement: %s"
        .formatted(server, String.join("; ", statements).replaceAll("\\s*\\n\\s*", " "));
  }

  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return ColumnarSupportMode.SUPPORTED;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    return statements.stream().map(FlightPartition::new).toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new FlightReaderFactory(schema, server);
  }
}
