package io.aragonite.sqltests.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.cold.ColdWorkload;
import io.aragonite.dataset.ProgressListener;
import io.aragonite.tpch.TpchData;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchRunner;
import io.aragonite.tpch.TpchRunner.Options;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnumerableTpchTest {
  @Test
  void calciteReadsTheQueriesAndGivesTheStoredAnswers(@TempDir Path cache) throws Exception {
    Path data = TpchData.ensure(0.01, cache, 2, ProgressListener.NONE);
    List<TpchQuery> queries = Stream.of(1, 6, 11, 12, 13, 15, 22).map(TpchQuery::of).toList();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (Connection connection = EnumerableTpch.open(data);
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      Options options = new Options(0.01, queries, true, 1);
      assertEquals(
          0,
          TpchRunner.of(connection, options, out).run().exitStatus(),
          () -> text.toString(StandardCharsets.UTF_8));
      Contender hasty = new Contender("hasty", connection, true, 1, UnaryOperator.identity());
      long start = System.nanoTime();
      Timing timing = // 60,175 x 2,000 pairs: more than a second
          new Comparison(List.of(hasty), 1, System::nanoTime)
              .run(ColdWorkload.TPCH.queries(0.01).subList(18, 19), timings -> {})
              .get(0)
              .get(0);
      assertTrue(timing.complaint() != null || timing.best() < 5000);
      assertTrue(System.nanoTime() - start < 30e9);
    }
  }
}
