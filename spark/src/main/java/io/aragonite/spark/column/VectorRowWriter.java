package io.aragonite.spark.column;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Rows of Spark's of the values of columns, byte by byte as Spark's own projection makes them. For
 * that Spark writes code in each task, which takes as long as some thousand rows.
 */
public final class VectorRowWriter {
  private final UnsafeRowWriter writer;
  private final int[] columns;
  private final List<FieldWriter> fields;

  /** Puts a value that may be null. */
  private interface FieldWriter {
    void write(ColumnVector values, int row);
  }

  /** Puts a value that is not null. */
  private interface ValueWriter {
    void write(ColumnVector values, int row);
  }

  /**
   * @param types of fields, none of them an array, a map or an interval
   * @param columns of batches that have their values
   */
  public VectorRowWriter(List<DataType> types, List<Integer> columns) {
    this.writer = new UnsafeRowWriter(types.size());
    this.columns = columns.stream().mapToInt(Integer::intValue).toArray();
    this.fields = fields(writer, types);
  }

  /** A row of a batch, valid until the next is asked for. */
  public UnsafeRow row(ColumnarBatch batch, int row) {
    writer.reset();
    writer.zeroOutNullBytes();
    for (int i = 0; i < columns.length; i++) {
      fields.get(i).write(batch.column(columns[i]), row);
    }
    return writer.getRow();
  }

  private static List<FieldWriter> fields(UnsafeRowWriter to, List<DataType> types) {
    List<FieldWriter> fields = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      int field = i;
      if (types.get(i) instanceof DecimalType decimal) {
        fields.add(decimal(to, field, decimal.precision(), decimal.scale()));
        continue;
      }
      ValueWriter value = value(to, field, types.get(i));
      fields.add(
          (values, row) -> {
            if (values.isNullAt(row)) {
              to.setNullAt(field);
            } else {
              value.write(values, row);
            }
          });
    }
    return List.copyOf(fields);
  }

  /** A null of many digits has the bytes of a value: rows are changed in place. */
  private static FieldWriter decimal(UnsafeRowWriter to, int field, int precision, int scale) {
    boolean wide = precision > Decimal.MAX_LONG_DIGITS();
    return (values, row) -> {
      if (!values.isNullAt(row)) {
        to.write(field, values.getDecimal(row, precision, scale), precision, scale);
      } else if (wide) {
        to.write(field, (Decimal) null, precision, scale);
      } else {
        to.setNullAt(field);
      }
    };
  }

  private static ValueWriter value(UnsafeRowWriter to, int field, DataType type) {
    return switch (type) {
      case BooleanType any -> (values, row) -> to.write(field, values.getBoolean(row));
      case ByteType any -> (values, row) -> to.write(field, values.getByte(row));
      case ShortType any -> (values, row) -> to.write(field, values.getShort(row));
      case IntegerType any -> (values, row) -> to.write(field, values.getInt(row));
      case DateType any -> (values, row) -> to.write(field, values.getInt(row));
      case LongType any -> (values, row) -> to.write(field, values.getLong(row));
      case TimestampType any -> (values, row) -> to.write(field, values.getLong(row));
      case TimestampNTZType any -> (values, row) -> to.write(field, values.getLong(row));
      case FloatType any -> (values, row) -> to.write(field, values.getFloat(row));
      case DoubleType any -> (values, row) -> to.write(field, values.getDouble(row));
      case StringType any -> (values, row) -> to.write(field, values.getUTF8String(row));
      case BinaryType any -> (values, row) -> to.write(field, values.getBinary(row));
      case StructType struct -> struct(to, field, struct);
      case NullType any -> (values, row) -> to.setNullAt(field);
      default -> throw new IllegalStateException("no row of Spark's with " + type);
    };
  }

  private static ValueWriter struct(UnsafeRowWriter to, int field, StructType struct) {
    List<DataType> types = new ArrayList<>();
    for (StructField of : struct.fields()) {
      types.add(of.dataType());
    }
    UnsafeRowWriter nested = new UnsafeRowWriter(to, types.size());
    List<FieldWriter> fields = fields(nested, types);
    return (values, row) -> {
      int before = to.cursor();
      nested.resetRowWriter();
      for (int i = 0; i < fields.size(); i++) {
        fields.get(i).write(values.getChild(i), row);
      }
      to.setOffsetAndSizeFromPreviousCursor(field, before);
    };
  }
}
