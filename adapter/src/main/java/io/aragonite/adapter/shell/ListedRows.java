package io.aragonite.adapter.shell;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of texts that a command made. */
final class ListedRows implements PrintedRows {
  private final List<PrintedColumn> columns = new ArrayList<>();
  private final Iterator<List<String>> rows;
  private List<String> present = List.of();

  ListedRows(List<String> names, List<List<String>> rows) {
    names.forEach(name -> columns.add(new PrintedColumn(name, "VARCHAR", false)));
    this.rows = rows.iterator();
  }

  @Override
  public List<PrintedColumn> columns() {
    return columns;
  }

  @Override
  public boolean next() {
    boolean more = rows.hasNext();
    present = more ? rows.next() : List.of();
    return more;
  }

  @Override
  public @Nullable String text(int column) {
    return present.get(column);
  }

  @Override
  public @Nullable Object value(int column) {
    return present.get(column);
  }
}
