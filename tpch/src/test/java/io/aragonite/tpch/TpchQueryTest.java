package io.aragonite.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Answer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TpchQueryTest {
  static List<TpchQuery> queries() {
    return TpchQuery.all();
  }

  @ParameterizedTest
  @MethodSource("queries")
  void eachHasAnswers(TpchQuery query) {
    for (double scale : new double[] {0.01, 0.1, 1}) {
      Answer answer = query.answer(scale).orElseThrow();
      assertTrue(!answer.rows().isEmpty(), query + " has no rows at scale " + scale);
      assertEquals(Optional.empty(), query.compare(answer, answer));
    }
    assertEquals(Optional.empty(), query.answer(3));
  }

  @ParameterizedTest
  @MethodSource("queries")
  void queriesAreSingleStatements(TpchQuery query) {
    assertTrue(!query.sql().contains(";") && !query.sql().isBlank());
    assertEquals(query.sql(), query.sql(1));
    assertEquals(query.number() == 11, !query.sql(10).equals(query.sql()));
  }

  @Test
  void theFractionOfQuery11FollowsTheScale() {
    assertTrue(TpchQuery.of(11).sql(0.01).contains("* 0.01\n"));
    assertTrue(TpchQuery.of(11).sql(10).contains("* 0.00001\n"));
  }

  @Test
  void streamsHaveAllQueriesInOrdersOfTheirOwn() {
    Set<List<TpchQuery>> orders = new HashSet<>();
    for (int stream = 0; stream <= TpchQuery.STREAMS; stream++) {
      List<TpchQuery> order = TpchQuery.ofStream(stream);
      assertEquals(Set.copyOf(TpchQuery.all()), Set.copyOf(order));
      assertEquals(TpchQuery.COUNT, order.size());
      assertTrue(orders.add(order), "stream " + stream + " has the order of another");
    }
    assertThrows(IllegalArgumentException.class, () -> TpchQuery.ofStream(41));
  }
}
