package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.function.BiPredicate;

/** A file's column for a device, with which its table keeps the file open and knows what it saw. */
final class TableEncodedColumn implements EncodedColumn {
  private final EncodedColumn column;
  private final BiPredicate<ColumnShape, Long> accepting;
  private final Runnable closing;
  private boolean closed;

  /**
   * @param accepting takes the shape of what came out, and how many rows are null
   * @param closing run once
   */
  TableEncodedColumn(
      EncodedColumn column, BiPredicate<ColumnShape, Long> accepting, Runnable closing) {
    this.column = column;
    this.accepting = accepting;
    this.closing = closing;
  }

  @Override
  public DataType type() {
    return column.type();
  }

  @Override
  public PageForm form() {
    return column.form();
  }

  @Override
  public int width() {
    return column.width();
  }

  @Override
  public boolean optional() {
    return column.optional();
  }

  @Override
  public long rows() {
    return column.rows();
  }

  @Override
  public int chunks() {
    return column.chunks();
  }

  @Override
  public long bytes() {
    return column.bytes();
  }

  @Override
  public Decodable<EncodedChunk> chunk(int number) {
    return column.chunk(number);
  }

  @Override
  public AragoniteException broken(int chunk, int page, MalformedPageException found) {
    return column.broken(chunk, page, found);
  }

  @Override
  public boolean accept(ColumnShape shape, long nulls) {
    return accepting.test(shape, nulls);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      column.close();
      closing.run();
    }
  }
}
