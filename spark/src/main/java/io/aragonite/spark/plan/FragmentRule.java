package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.spark.execution.FragmentPlan.InputKind;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InputFileBlockLength;
import org.apache.spark.sql.catalyst.expressions.InputFileBlockStart;
import org.apache.spark.sql.catalyst.expressions.InputFileName;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.execution.CollectLimitExec;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.TakeOrderedAndProjectExec;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.exchange.BroadcastExchangeExec;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import org.jspecify.annotations.Nullable;

/**
 * Puts fragments into a physical plan: the last that happens to a plan, or with adaptive execution
 * to a stage, before Spark generates code for what is left. So Spark's planning, which replans
 * between stages, sees nothing but its own operators.
 */
public final class FragmentRule extends Rule<SparkPlan> {
  /** Whether plans get fragments. */
  public static final String ENABLED = "spark.aragonite.enabled";

  /** Whether an operator that stays with Spark is an error. */
  public static final String STRICT = "spark.aragonite.strict";

  /** Of an operator that stayed with Spark: its name and why. */
  public static final TreeNodeTag<String> LEFT = new TreeNodeTag<>("aragonite.left");

  @Override
  public SparkPlan apply(SparkPlan plan) {
    if (!flag(plan, ENABLED, true)) {
      return plan;
    }
    List<String> left = new ArrayList<>();
    SparkPlan rewritten = plan;
    if (asksForFiles(plan)) {
      left.add("all operators of a stage that asks for the file of its rows");
    } else {
      SparkPlan structs = structs(plan, left);
      rewritten = structs == null ? rewrite(plan, true, List.of(), left) : structs;
    }
    // Not rows() of a shuffle: the root of an adaptive stage has to stay an Exchange.
    if (rewritten instanceof ColumnarUnionExec) {
      rewritten = rows(rewritten);
    }
    if (!left.isEmpty() && flag(plan, STRICT, false)) {
      throw new UnsupportedOperationException(
          "spark.aragonite.strict is true, and these operators are not Aragonite's: "
              + String.join("; ", left)
              + ". Set it to false to have Spark run them.");
    }
    return rewritten;
  }

  /**
   * A root that makes structs of columns, as Spark's merged subqueries do: it hands over rows, and
   * only they have structs. Null: it does not, or stays with Spark.
   */
  private @Nullable SparkPlan structs(SparkPlan root, List<String> left) {
    if (!(root instanceof ProjectExec project) || !FragmentBuilder.makesStructs(project)) {
      return null;
    }
    try {
      return node(root, FragmentBuilder.ofStructs(project), left);
    } catch (UntranslatableException e) {
      return null; // why, is said of the operator when it is left
    }
  }

  /** Whether an operator wants to know the file that Spark's reader is at: ours are ahead. */
  private static boolean asksForFiles(SparkPlan plan) {
    return ScalaValues.<Expression>list(plan.expressions()).stream()
            .anyMatch(
                expression ->
                    expression.exists(
                        part ->
                            part instanceof InputFileName
                                || part instanceof InputFileBlockStart
                                || part instanceof InputFileBlockLength))
        || ScalaValues.<SparkPlan>list(plan.children()).stream()
            .anyMatch(FragmentRule::asksForFiles);
  }

  private static boolean flag(SparkPlan plan, String name, boolean otherwise) {
    return Boolean.parseBoolean(plan.conf().getConfString(name, String.valueOf(otherwise)));
  }

  /**
   * @param ordered whether somebody may rely on the plan's order
   * @param above why the operators above it stay with Spark
   * @param left takes why operators stay with Spark
   */
  private SparkPlan rewrite(
      SparkPlan plan, boolean ordered, List<String> above, List<String> left) {
    if (plan instanceof TakeOrderedAndProjectExec take) {
      return firstOfAll(take, above, left);
    }
    if (plan instanceof ColumnarToRowExec) {
      return plan;
    }
    if (plan instanceof UnionExec union) {
      SparkPlan columnar = union(union, left);
      if (columnar != null) {
        return columnar;
      }
    }
    if (plan instanceof CollectLimitExec) {
      leave(plan, "it hands over rows to the user", left);
    }
    List<String> reasons = List.of();
    if (!FragmentBuilder.isSource(plan) && !runsAnother(plan)) {
      try {
        Fragment fragment = FragmentBuilder.of(plan, ordered);
        if (worthwhile(fragment)) {
          return node(plan, fragment.because(above), left);
        }
      } catch (UntranslatableException e) {
        SparkPlan split = AggregateSplit.of(plan);
        if (split != null && isTranslated(split.children().head())) {
          return rewrite(split, ordered, above, left);
        }
        reasons = new ArrayList<>(above);
        reasons.add(leave(plan, String.valueOf(e.getMessage()), left));
      }
    }
    return overChildren(plan, reasons, left);
  }

  /** An operator that stays with Spark, or an exchange, over what is rewritten. */
  @SuppressWarnings("ReferenceEquality") // whether anything was replaced
  private SparkPlan overChildren(SparkPlan plan, List<String> reasons, List<String> left) {
    boolean orderCounts = !(plan instanceof Exchange);
    List<SparkPlan> children = new ArrayList<>();
    boolean same = true;
    for (SparkPlan child : ScalaValues.<SparkPlan>list(plan.children())) {
      SparkPlan read = plan instanceof Exchange ? readFiles(child, left) : null;
      SparkPlan rewritten = read == null ? rewrite(child, orderCounts, reasons, left) : read;
      children.add(rewritten);
      same &= rewritten == child;
    }
    SparkPlan columnar = columnar(plan, children.isEmpty() ? plan : children.getFirst(), left);
    if (columnar != null) {
      return columnar;
    }
    children.replaceAll(FragmentRule::rows);
    return same ? plan : (SparkPlan) plan.withNewChildren(ScalaValues.seq(children));
  }

  /** An exchange of columns in place of Spark's; null: it is none, or stays one of rows. */
  private static @Nullable SparkPlan columnar(
      SparkPlan plan, SparkPlan child, List<String> left) {
    return switch (plan) {
      case ShuffleExchangeExec exchange -> {
        SparkPlan columnar = ColumnarShuffleExec.of(exchange, child);
        if (columnar == null) {
          leave(plan, ColumnarShuffleExec.refusal(exchange), left);
        }
        yield columnar;
      }
      case BroadcastExchangeExec exchange -> ColumnarBroadcastExec.of(exchange, child);
      default -> null;
    };
  }

  /** A fragment of nothing but files, for an exchange of what is in them; null: it is no such scan. */
  private @Nullable SparkPlan readFiles(SparkPlan scan, List<String> left) {
    if (!(scan instanceof ColumnarToRowExec || scan instanceof FileSourceScanExec)) {
      return null;
    }
    try {
      Fragment fragment = FragmentBuilder.passing(scan);
      return readsFiles(fragment) ? node(scan, fragment, left) : null;
    } catch (UntranslatableException e) {
      return null;
    }
  }

  private static boolean readsFiles(Fragment fragment) {
    return fragment.inputs().getFirst().kind() == InputKind.FILES;
  }

  /** Notes that an operator stays with Spark, in the plan too; its name and the reason. */
  private static String leave(SparkPlan plan, String why, List<String> left) {
    String reason = plan.nodeName() + ": " + why;
    left.add(reason);
    plan.setTagValue(LEFT, reason);
    return reason;
  }

  /** Whether it is of ours and hands over columns where Spark's operators take rows. */
  private static boolean isColumnar(SparkPlan plan) {
    return plan instanceof ColumnarShuffleExec || plan instanceof ColumnarUnionExec;
  }

  /** The plan as Spark's operators take it. */
  private static SparkPlan rows(SparkPlan plan) {
    return isColumnar(plan) ? new ColumnarToRowExec(plan) : plan;
  }

  private static boolean isTranslated(SparkPlan plan) {
    try {
      FragmentBuilder.of(plan, false);
      return true;
    } catch (UntranslatableException e) {
      return false;
    }
  }

  /** Commands and such, which run plans of their own, and what only hands rows to the user. */
  private static boolean runsAnother(SparkPlan plan) {
    String name = plan.getClass().getName();
    return plan instanceof CollectLimitExec
        || name.contains(".command.")
        || name.contains(".adaptive.")
        || name.contains(".datasources.");
  }

  /** A union of fragments, or of what they would take; null if it stays one of rows. */
  private @Nullable SparkPlan union(UnionExec union, List<String> left) {
    List<SparkPlan> children = ScalaValues.list(union.children());
    List<Fragment> fragments = new ArrayList<>();
    try {
      for (SparkPlan child : children) {
        fragments.add(FragmentBuilder.passing(child));
      }
    } catch (UntranslatableException e) {
      leave(union, String.valueOf(e.getMessage()), left);
      return null;
    }
    if (fragments.stream().allMatch(fragment -> fragment.operators().isEmpty())) {
      leave(union, "none of its inputs is a fragment", left);
      return null;
    }
    List<SparkPlan> inputs = new ArrayList<>();
    for (int i = 0; i < fragments.size(); i++) {
      inputs.add(node(children.get(i), fragments.get(i), left));
    }
    ColumnarUnionExec columnar = new ColumnarUnionExec(union, inputs);
    columnar.copyTagsFrom(union);
    return columnar;
  }

  /** Each partition's first rows are found in a fragment, and the first of these by Spark. */
  private SparkPlan firstOfAll(
      TakeOrderedAndProjectExec take, List<String> above, List<String> left) {
    SparkPlan child = take.child();
    SparkPlan rewritten;
    try {
      Fragment fragment =
          FragmentBuilder.first(child, ScalaValues.list(take.sortOrder()), take.limit());
      rewritten = node(child, fragment.because(above), left);
    } catch (UntranslatableException e) {
      leave(take, "the first rows of partitions: " + e.getMessage(), left);
      rewritten = rows(rewrite(child, false, above, left));
    }
    return (SparkPlan) take.withNewChildren(ScalaValues.seq(List.of(rewritten)));
  }

  private SparkPlan node(SparkPlan plan, Fragment fragment, List<String> left) {
    List<SparkPlan> inputs = new ArrayList<>();
    List<Fragment.Input> described = new ArrayList<>();
    for (Fragment.Input input : fragment.inputs()) {
      if (input.kind() == InputKind.COLUMNS || input.kind() == InputKind.FILES) {
        inputs.add(input.source());
        described.add(input);
        continue;
      }
      SparkPlan source =
          rewrite(input.source(), !fragment.ordering().isEmpty(), List.of(), left);
      inputs.add(source);
      described.add(
          isColumnar(source) || source instanceof FragmentExec
              ? new Fragment.Input(source, InputKind.COLUMNS, input.types())
              : input);
    }
    FragmentExec node = new FragmentExec(plan, fragment.with(described), inputs);
    plan.logicalLink().foreach(link -> {
      node.setLogicalLink(link);
      return null;
    });
    return node;
  }

  /** Whether more is done than to choose columns of what Spark hands over. */
  private static boolean worthwhile(Fragment fragment) {
    PhysicalPlan plan = fragment.plan();
    boolean onlyChooses =
        plan instanceof PhysicalPlan.Project project
            && project.input() instanceof PhysicalPlan.BatchInput
            && project.expressions().stream().allMatch(Expr.InputRef.class::isInstance);
    return !onlyChooses || readsFiles(fragment);
  }
}
