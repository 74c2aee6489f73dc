package io.aragonite.sqltests.duckdb;

import io.aragonite.bench.duckdb.DuckDbTables;
import io.aragonite.dataset.Answer;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.TerminalProgress;
import io.aragonite.tpch.TpchData;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchScale;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.zip.GZIPOutputStream;

/**
 * Makes the answers that the tpch module stores, by DuckDB from our data. Arguments: the folder
 * {@code tpch/src/main/resources/io/aragonite/tpch/answers}, then scales. Running it again changes
 * no file, so a difference under version control is a difference in data, queries or DuckDB.
 */
public final class AnswerMaker {
  private static final int THREADS = 2;

  private AnswerMaker() {}

  /** See the class. */
  public static void main(String[] arguments)
      throws IOException, SQLException, InterruptedException {
    Path answers = Path.of(arguments[0]);
    for (int i = 1; i < arguments.length; i++) {
      double scale = Double.parseDouble(arguments[i]);
      Path folder = answers.resolve("sf" + new TpchScale(scale));
      Files.createDirectories(folder);
      Path data =
          TpchData.ensure(scale, DatasetCache.defaultRoot(), THREADS, new TerminalProgress());
      try (Connection connection = DuckDbTables.open(data, THREADS)) {
        for (TpchQuery query : TpchQuery.all()) {
          write(folder.resolve("q" + query.number() + ".txt.gz"), run(connection, query, scale));
        }
      }
      System.out.println("wrote " + folder);
    }
  }

  /** Runs a query in DuckDB. */
  public static Answer run(Connection connection, TpchQuery query, double scale)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query.sql(scale))) {
      return Answer.of(result);
    }
  }

  private static void write(Path file, Answer answer) throws IOException {
    try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(answer.toText().getBytes(StandardCharsets.UTF_8));
    }
  }
}
