package io.aragonite.spark.column;

import java.util.List;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** Columns that are the fields of a struct, which is never null. */
public final class StructColumnVector extends ColumnVector {
  private final List<ColumnVector> fields;

  public StructColumnVector(StructType type, List<ColumnVector> fields) {
    super(type);
    this.fields = List.copyOf(fields);
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    return fields.get(ordinal);
  }

  @Override
  public void close() {}

  @Override
  public boolean hasNull() {
    return false;
  }

  @Override
  public int numNulls() {
    return 0;
  }

  @Override
  public boolean isNullAt(int row) {
    return false;
  }

  private static UnsupportedOperationException onlyFields() {
    return new UnsupportedOperationException("a struct has fields");
  }

  @Override
  public boolean getBoolean(int row) {
    throw onlyFields();
  }

  @Override
  public byte getByte(int row) {
    throw onlyFields();
  }

  @Override
  public short getShort(int row) {
    throw onlyFields();
  }

  @Override
  public int getInt(int row) {
    throw onlyFields();
  }

  @Override
  public long getLong(int row) {
    throw onlyFields();
  }

  @Override
  public float getFloat(int row) {
    throw onlyFields();
  }

  @Override
  public double getDouble(int row) {
    throw onlyFields();
  }

  @Override
  public ColumnarArray getArray(int row) {
    throw onlyFields();
  }

  @Override
  public ColumnarMap getMap(int row) {
    throw onlyFields();
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    throw onlyFields();
  }

  @Override
  public UTF8String getUTF8String(int row) {
    throw onlyFields();
  }

  @Override
  public byte[] getBinary(int row) {
    throw onlyFields();
  }
}
