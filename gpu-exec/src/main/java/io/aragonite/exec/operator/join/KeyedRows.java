package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.join.PartitionedHashJoin.JoinInput;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/**
 * All rows of one side of a join and their words, in the same order.
 *
 * @param rows without indirection
 * @param bytes of a word
 * @param column that is the words; -1: none is
 * @param owned whether the rows' memory is the join's
 */
record KeyedRows(ColumnBatch rows, Buffer words, int bytes, int column, boolean owned) {
  private static final ColumnShape WORD = ColumnShape.of(DataType.INT64);

  static KeyedRows of(ExecContext context, ColumnBatch rows, JoinKeyEncoder words, boolean owned) {
    Buffer all = words.ofAll(context, rows);
    return new KeyedRows(rows, all, words.bytes(), words.column(), owned);
  }

  /** The words as the key, and the columns that are not the words as payload. */
  JoinInput input() {
    if (column >= 0) {
      return input(rows, column);
    }
    Column key = new Column(WORD, rows.rows(), words, Buffer.EMPTY, null, null);
    return new JoinInput(key, rows.columns());
  }

  /** Rows as a side of a join; {@code word} is the column that is their words. */
  static JoinInput input(ColumnBatch rows, int word) {
    List<Column> payload = new ArrayList<>(rows.columns());
    Column key = payload.remove(word);
    return new JoinInput(key, payload);
  }

  /** The rows in partitions; their memory as they were is freed. */
  KeyedRows partitioned(ExecContext context, PartitionPlan plan) {
    RowPartition parts = plan.partition(context, input());
    free(context.memory());
    return in(parts);
  }

  /** The same rows, in partitions whose memory is theirs from now on. */
  KeyedRows in(RowPartition parts) {
    List<Column> columns = new ArrayList<>(parts.columns());
    if (column >= 0) {
      columns.add(column, parts.withWords(rows.column(column)));
    }
    return new KeyedRows(new ColumnBatch(columns, rows.rows()), parts.give(), bytes, column, true);
  }

  void free(QueryMemory memory) {
    freeWords(memory);
    if (owned) {
      rows.columns().forEach(column -> Batches.free(memory, column));
    }
  }

  /** Frees the words, if they are not a column. */
  void freeWords(QueryMemory memory) {
    if (column < 0) {
      memory.free(words);
    }
  }
}
