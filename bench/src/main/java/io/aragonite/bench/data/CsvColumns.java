package io.aragonite.bench.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Writes the results of a benchmark as CSV: a line of column names, then a line a result. */
public final class CsvColumns<R> {
  private record CsvColumn<R>(String name, Function<R, String> cell) {}

  private final List<CsvColumn<R>> columns = new ArrayList<>();

  /** The next column. Readers split lines at commas, so that a comma in a cell becomes another. */
  public CsvColumns<R> add(String name, Function<? super R, ?> value) {
    columns.add(
        new CsvColumn<>(name, result -> String.valueOf(value.apply(result)).replace(',', ';')));
    return this;
  }

  /**
   * The next column.
   *
   * @param format of its values, as of {@link String#format}
   */
  public CsvColumns<R> add(String name, String format, Function<? super R, ?> value) {
    return add(name, result -> String.format(Locale.ROOT, format, value.apply(result)));
  }

  /** The line of names, without its end. */
  public String names() {
    return columns.stream().map(CsvColumn::name).collect(Collectors.joining(","));
  }

  /** The lines of names and results. */
  public String text(List<R> results) {
    StringBuilder text = new StringBuilder(names()).append('\n');
    for (R result : results) {
      text.append(
              columns.stream()
                  .map(column -> column.cell.apply(result))
                  .collect(Collectors.joining(",")))
          .append('\n');
    }
    return text.toString();
  }
}
