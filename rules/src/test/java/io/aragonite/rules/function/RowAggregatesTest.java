package io.aragonite.rules.function;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.plan.HostAggregate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeFactoryImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Aggregates over all rows end with their query while they sort or count values. */
class RowAggregatesTest {
  private static final int ROWS = 200_000;

  private static final List<RelDataType> TYPES =
      Collections.nCopies(
          2, new SqlTypeFactoryImpl(RelDataTypeSystem.DEFAULT).createSqlType(SqlTypeName.DOUBLE));

  private static List<@Nullable Object[]> rows() {
    Random random = new Random(1);
    List<@Nullable Object[]> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(new @Nullable Object[] {random.nextDouble(), 0.5});
    }
    return rows;
  }

  @Test
  void theyAskWhileTheyCompare() {
    for (SqlAggFunction function :
        List.of(
            RowAggregates.QUANTILE_CONT,
            RowAggregates.QUANTILE_DISC,
            RowAggregates.MAD,
            RowAggregates.ENTROPY,
            SqlStdOperatorTable.MODE)) {
      HostAggregate aggregate = RowAggregates.of(function, TYPES);
      assertNotNull(aggregate, function.getName());
      assertNotNull(aggregate.aggregate(rows()), function.getName());
      StopCheck ended =
          new StopCheck(() -> {
            throw new CancellationException();
          });
      try (StopCheck.Scope _ = ended.enter()) {
        assertThrows(
            CancellationException.class, () -> aggregate.aggregate(rows()), function.getName());
      }
    }
  }
}
