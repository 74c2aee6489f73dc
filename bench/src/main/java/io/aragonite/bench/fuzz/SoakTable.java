package io.aragonite.bench.fuzz;

import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A connection's own table, which is changed, copied to files and compared with what it should have. */
final class SoakTable {
  private static final int MOST_ROWS = 2_000;
  private static final int MOST_ADDED = 40;

  private final Connection connection;
  private final Random random;
  private final Path copies;

  /** What it may have: of a change that was cancelled nobody knows whether it was made before. */
  private List<List<Long>> possible = List.of();

  /**
   * @param copies folder for files
   */
  SoakTable(Connection connection, Random random, Path copies) {
    this.connection = connection;
    this.random = random;
    this.copies = copies;
  }

  /**
   * Changes it, and looks.
   *
   * @return what is wrong; null: nothing
   * @throws SQLException what a statement ended with
   */
  @Nullable String work() throws SQLException {
    if (possible.isEmpty()) {
      change("create or replace table own (i bigint, s varchar)", List.of(List.of()));
    } else {
      List<Long> rows = possible.getFirst();
      int way = rows.size() > MOST_ROWS ? 1 : random.nextInt(5);
      long third = random.nextInt(3);
      switch (way) {
        case 0 -> change("update own set i = i + 1 where mod(i, 3) = " + third, after(row -> row % 3 == third ? row + 1 : row));
        case 1 -> change("delete from own where mod(i, 3) = " + third, after(row -> row % 3 == third ? null : row));
        case 2 -> {
          return copied();
        }
        default -> {
          List<Long> added = LongStream.range(0, 1 + random.nextInt(MOST_ADDED)).mapToObj(i -> (long) random.nextInt(1_000_000)).toList();
          String values = added.stream().map("(%d, 'own')"::formatted).collect(Collectors.joining(", "));
          change(
              "insert into own values " + values,
              possible.stream().map(before -> {
                List<Long> after = new ArrayList<>(before);
                after.addAll(added);
                return after;
              }).toList());
        }
      }
    }
    return look("own");
  }

  private interface SoakRow {
    @Nullable Long after(long row);
  }

  private List<List<Long>> after(SoakRow change) {
    return possible.stream()
        .map(before -> {
          List<Long> after = new ArrayList<>();
          for (long row : before) {
            Long changed = change.after(row);
            if (changed != null) {
              after.add(changed);
            }
          }
          return after;
        })
        .toList();
  }

  private void change(String sql, List<List<Long>> after) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
      possible = after;
    } catch (SQLException e) {
      int code = SoakErrors.code(e);
      boolean late = code == ErrorCode.CANCELLED.number() || code == ErrorCode.TIMED_OUT.number();
      if (late && !possible.isEmpty()) {
        List<List<Long>> both = new ArrayList<>(possible);
        both.addAll(after);
        possible = both;
      }
      throw e;
    }
  }

  /** Writes it to a file, and reads that. */
  private @Nullable String copied() throws SQLException {
    Path file = copies.resolve("own-" + Long.toHexString(random.nextLong()) + ".parquet");
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("copy (select * from own) to '%s'".formatted(file));
      return look("'%s'".formatted(file));
    } finally {
      try {
        Files.deleteIfExists(file);
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }

  private @Nullable String look(String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("select count(*), coalesce(sum(i), 0) from " + table)) {
      if (!found.next()) {
        return "no row of a sum over " + table;
      }
      long count = found.getLong(1);
      long sum = found.getLong(2);
      List<List<Long>> right =
          possible.stream().filter(rows -> rows.size() == count && rows.stream().mapToLong(Long::longValue).sum() == sum).toList();
      if (right.isEmpty()) {
        return "%s has %d rows with sum %d instead of %s".formatted(table, count, sum, possible);
      }
      possible = right;
      return null;
    }
  }
}
