package io.aragonite.tpch;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.types.pojo.Schema;

/** A table's file read back by Arrow's own reader, as one list of Java objects for each column. */
record TpchColumns(Schema schema, List<Integer> batchRows, List<List<Object>> values) {
  static TpchColumns read(Path directory, TpchTable table) throws IOException {
    List<Integer> batchRows = new ArrayList<>();
    List<List<Object>> values = new ArrayList<>();
    table.columns().forEach(column -> values.add(new ArrayList<>()));
    try (RootAllocator allocator = new RootAllocator();
        FileChannel file = FileChannel.open(directory.resolve(table.fileName()));
        ArrowFileReader reader = new ArrowFileReader(file, allocator)) {
      while (reader.loadNextBatch()) {
        int rows = reader.getVectorSchemaRoot().getRowCount();
        batchRows.add(rows);
        for (int i = 0; i < values.size(); i++) {
          FieldVector vector = reader.getVectorSchemaRoot().getVector(i);
          for (int row = 0; row < rows; row++) {
            Object value = vector.getObject(row);
            if (value == null) {
              throw new AssertionError(vector.getName() + " is null in row " + row);
            }
            values
                .get(i)
                .add(
                    value instanceof Number || value instanceof java.time.temporal.Temporal
                        ? value
                        : value.toString());
          }
        }
      }
      return new TpchColumns(reader.getVectorSchemaRoot().getSchema(), batchRows, values);
    }
  }

  int rows() {
    return values.get(0).size();
  }

  List<Object> column(String name) {
    return values.get(schema.getFields().indexOf(schema.findField(name)));
  }

  /** The values of some columns, one list for each row. */
  List<List<Object>> tuples(List<String> names) {
    List<List<Object>> columns = names.stream().map(this::column).toList();
    List<List<Object>> tuples = new ArrayList<>();
    for (int row = 0; row < rows(); row++) {
      int at = row;
      tuples.add(columns.stream().map(column -> column.get(at)).toList());
    }
    return tuples;
  }
}
