package io.aragonite.adapter.statement;

import io.aragonite.adapter.copy.CopyJob;
import io.aragonite.adapter.copy.CopyMemory;
import io.aragonite.adapter.copy.CopyOptions;
import io.aragonite.adapter.ddl.TableStatement.CopyTo;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.adapter.sql.parse.InsertedValues;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeName;

/** COPY of a query's rows to files. */
final class FileCopy {
  private final CopyTo copy;
  private final CopyOptions options;
  private final Session session;

  /**
   * @throws AragoniteException what is wrong with the options
   */
  FileCopy(CopyTo copy, Session session) {
    this.copy = copy;
    this.options = CopyOptions.of(copy.target(), copy.options());
    this.session = session;
  }

  private String quoted(List<String> names) {
    return WriteScope.quoted(session, names);
  }

  /** The query; columns that become folders are the last ones, and in order. */
  ExecutionSignature<?> query() {
    var _ = session.paths().writable(copy.target());
    ExecutionSignature<?> signature = session.query(copy.query());
    List<String> names = QueryBatches.rowType(signature).getFieldNames();
    NamedColumns.requireDistinct(copy.target(), names);
    List<RelDataTypeField> fields = QueryBatches.rowType(signature).getFieldList();
    List<NestedType> types = QueryBatches.stored(signature);
    for (int i = 0; i < types.size(); i++) {
      StorableTypes.requireWritable(fields.get(i), types.get(i), options);
    }
    if (options.partitionBy().isEmpty()) {
      return signature;
    }
    List<String> keys = new ArrayList<>();
    for (String key : options.partitionBy()) {
      int place = TableColumn.find(names, key);
      if (place < 0) {
        throw new AragoniteException(
            ErrorCode.UNKNOWN_COLUMN,
            "The query has no column \"%s\" to partition by; it has %s."
                .formatted(key, String.join(", ", names)));
      }
      StorableTypes.requireKey(fields.get(place), types.get(place));
      keys.add(names.get(place));
    }
    NamedColumns.requireDistinct(copy.target(), keys);
    List<String> order = new ArrayList<>(names);
    order.removeAll(keys);
    if (order.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "All columns of the query are in partition_by; one has to be left for the files.");
    }
    order.addAll(keys);
    return session.query(
        "SELECT %s FROM (%s\n) AS %s (%s) ORDER BY %s"
            .formatted(
                quoted(order), copy.query(), InsertedValues.ALIAS, quoted(names), quoted(keys)));
  }

  /** Which columns of a query are UUIDs. */
  private static BitSet uuids(ExecutionSignature<?> query) {
    BitSet uuids = new BitSet();
    for (RelDataTypeField field : QueryBatches.rowType(query).getFieldList()) {
      uuids.set(field.getIndex(), field.getType().getSqlTypeName() == SqlTypeName.UUID);
    }
    return uuids;
  }

  /** Returns the rows that were written. */
  long run(DataContext context, Execution execution) throws IOException {
    Path path = session.paths().writable(copy.target());
    ExecutionSignature<?> query = query();
    List<NestedType> types = QueryBatches.stored(query);
    try (CopyMemory memory = new CopyMemory(session.engine().device().host().memory());
        QueryBatches batches =
            QueryBatches.start(
                query, types, context, execution, memory.allocator(), options.takesCodes())) {
      List<String> names = QueryBatches.rowType(query).getFieldNames();
      return new CopyJob(options, names, types, uuids(query), session.zone(), memory)
          .write(batches, path, session.options().threads(), execution.stopCheck());
    }
  }
}
