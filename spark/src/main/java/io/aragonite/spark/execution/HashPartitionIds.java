package io.aragonite.spark.execution;

import io.aragonite.spark.column.EngineColumnVector;
import io.aragonite.spark.column.RowHashes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CollationAwareMurmur3Hash;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Pmod;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Partitions by Spark's hash of columns, column by column. */
final class HashPartitionIds implements ShuffleSlices.PartitionIds {
  private final List<Integer> columns;
  private final int seed;
  private final int count;
  private final RowHashes hashes = new RowHashes();

  private HashPartitionIds(List<Integer> columns, int seed, int count) {
    this.columns = columns;
    this.seed = seed;
    this.count = count;
  }

  /**
   * The partitions that Spark's expression says; null if it is not the hash of columns.
   *
   * @param output the columns that there are
   */
  static @Nullable HashPartitionIds of(Expression partition, List<Attribute> output) {
    if (!(partition instanceof Pmod pmod
        && pmod.left() instanceof CollationAwareMurmur3Hash hash
        && pmod.right() instanceof Literal count)) {
      return null;
    }
    List<Integer> columns = columns(CollectionConverters.asJava(hash.children()), output);
    return columns == null
        ? null
        : new HashPartitionIds(columns, hash.seed(), (Integer) count.value());
  }

  /** The places of columns; null if not all of the expressions are columns. */
  static @Nullable List<Integer> columns(List<Expression> keys, List<Attribute> output) {
    List<Integer> columns = new ArrayList<>();
    for (Expression key : keys) {
      int column = -1;
      for (int i = 0; i < output.size(); i++) {
        if (key instanceof Attribute wanted && output.get(i).exprId().equals(wanted.exprId())) {
          column = i;
        }
      }
      if (column < 0) {
        return null;
      }
      columns.add(column);
    }
    return columns;
  }

  @Override
  public void of(ColumnarBatch batch, int[] partitions) {
    int rows = batch.numRows();
    Arrays.fill(partitions, 0, rows, seed);
    for (int column : columns) {
      hashes.add((EngineColumnVector) batch.column(column), rows, partitions);
    }
    // As floorMod, which divides for one row after another: with doubles an instruction has several, and the quotient is at
    // most one off.
    double inverse = 1.0 / count;
    for (int i = 0; i < rows; i++) {
      int rest = partitions[i] - (int) (partitions[i] * inverse) * count;
      rest += rest >> 31 & count;
      rest -= count & ~(rest - count >> 31);
      partitions[i] = rest;
    }
  }
}
