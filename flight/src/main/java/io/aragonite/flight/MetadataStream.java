package io.aragonite.flight;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.jspecify.annotations.Nullable;

/** Sends a table of metadata. */
final class MetadataStream {
  private MetadataStream() {}

  static void send(
      FlightMetadata.Rows table, ServerStreamListener client, BufferAllocator allocator) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(table.schema(), allocator)) {
      root.allocateNew();
      int row = 0;
      for (@Nullable Object[] values : table.rows()) {
        for (int i = 0; i < values.length; i++) {
          set(root.getVector(i), row, values[i]);
        }
        row++;
      }
      root.setRowCount(row);
      client.start(root);
      if (row > 0) {
        client.putNext();
      }
      client.completed();
    }
  }

  private static void set(FieldVector vector, int row, @Nullable Object value) {
    while (vector.getValueCapacity() <= row) {
      vector.reAlloc();
    }
    if (value == null) {
      vector.setNull(row);
      return;
    }
    switch (vector) {
      case VarCharVector texts ->
          texts.setSafe(row, ((String) value).getBytes(StandardCharsets.UTF_8));
      case VarBinaryVector bytes -> bytes.setSafe(row, (byte[]) value);
      case IntVector ints -> ints.setSafe(row, (Integer) value);
      case BitVector bits -> bits.setSafe(row, (Boolean) value ? 1 : 0);
      case ListVector list -> {
        UnionListWriter writer = list.getWriter();
        writer.setPosition(row);
        writer.startList();
        for (Object text : (List<?>) value) {
          writer.writeVarChar((String) text);
        }
        writer.endList();
      }
      default -> throw new IllegalArgumentException(vector.getField().toString());
    }
  }
}
