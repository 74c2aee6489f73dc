package io.aragonite.exec.group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.cost.ExchangeModel;
import io.aragonite.exec.exchange.ShardedTable;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.profile.MachineProfile;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What bringing rows together is expected to take. */
class ExchangePlannerTest {
  private static final String EVERYWHERE = "aragonite.exchange.replicate";

  @BeforeEach
  void spreadAllTables() {
    System.setProperty(EVERYWHERE, "0");
  }

  @AfterEach
  void close() {
    System.clearProperty(EVERYWHERE);
  }

  /** Rows that a join's filter drops before they are sent do not count as sent (TPC-H Q20). */
  @Test
  void whatIsFilteredBeforeItIsSentIsPricedSo() {
    double few = byKeys(0.01);
    double all = byKeys(1);
    assertTrue(few < all / 1.5, few + " ms of few, " + all + " of all");
  }

  /** What bringing both sides of a join by their keys is expected to take on two H200s. */
  private static double byKeys(double matchRatio) {
    TestTable left = GroupQueries.table(new Random(15), 3000, 900);
    TestTable right = GroupQueries.table(new Random(16), 3000, 900);
    Join unknown = GroupQueries.join(left.scan(), right.scan(), JoinType.INNER);
    Join join =
        new Join(
            unknown.left(),
            unknown.right(),
            unknown.joinType(),
            unknown.keys(),
            null,
            unknown.algorithm(),
            false,
            unknown.types(),
            new JoinEstimate(7e5, 9e7, 7e5, matchRatio, 9e7 * matchRatio, 0, "", false));
    ExchangeModel model = new ExchangeModel(2, MachineProfile.H200, ExchangeModel.NVLINK);
    ExchangePlanner.ExchangePlan spread =
        ExchangePlanner.of(join, model, table -> new ShardedTable(table, List::of, 2));
    String text = Objects.requireNonNull(spread.exchanges().get(join));
    Matcher millis = Pattern.compile("by their keys ([0-9.]+) ms").matcher(text);
    assertTrue(millis.find(), text);
    return Double.parseDouble(millis.group(1));
  }
}
