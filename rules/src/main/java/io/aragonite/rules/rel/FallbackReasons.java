package io.aragonite.rules.rel;

import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.Converter;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.externalize.RelWriterImpl;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlExplainLevel;
import org.apache.calcite.util.Pair;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why nodes stay in Calcite's Enumerable convention, for one planning. Rules report the reasons
 * here when it is in the planner's context. Used by the planning thread only.
 */
public final class FallbackReasons {
  private static final Logger LOGGER = LoggerFactory.getLogger(FallbackReasons.class);

  /**
   * A node of the final plan that does not run on the device.
   *
   * @param node its operator, for instance {@code EnumerableAggregate}
   * @param reason why
   */
  public record Fallback(String node, String reason) {}

  private final Map<String, String> reasons = new HashMap<>();
  private List<Fallback> fallbacks = List.of();
  private boolean correlated;

  /** Keeps the reason why a rule did not convert a node. */
  public static void report(RelNode rel, String reason) {
    LOGGER.debug("{} stays in Enumerable: {}", rel, reason);
    FallbackReasons reasons = of(rel.getCluster().getPlanner());
    if (reasons != null) {
      reasons.reasons.putIfAbsent(key(rel), reason);
    }
  }

  /** The collector in a planner's context. */
  public static @Nullable FallbackReasons of(RelOptPlanner planner) {
    Context context = planner.getContext();
    return context == null ? null : context.unwrap(FallbackReasons.class);
  }

  /** Finds what of a final plan does not run on the device; to be called before Calc rules. */
  public void resolve(RelNode plan) {
    List<Fallback> found = new ArrayList<>();
    correlated = isCorrelated(plan);
    collect(plan, found);
    fallbacks = List.copyOf(found);
  }

  /** The nodes of the final plan that do not run on the device, from the top down. */
  public List<Fallback> fallbacks() {
    return fallbacks;
  }

  private void collect(RelNode rel, List<Fallback> found) {
    if (rel instanceof GpuToEnumerableConverter) {
      // Below there can be Enumerable nodes again, whose rows are handed up.
    } else if (rel instanceof EnumerableRel) {
      found.add(new Fallback(rel.getRelTypeName(), reason(rel)));
    }
    boolean reading =
        rel instanceof EnumerableToGpuConverter && isAdapter(((Converter) rel).getInput());
    if (!reading) {
      rel.getInputs().forEach(input -> collect(input, found));
    }
  }

  /**
   * Whether a node hands over what another adapter reads: that is no work of ours left undone. The
   * adapter's own operators, below a converter from its convention, are its affair.
   */
  private static boolean isAdapter(RelNode rel) {
    return rel instanceof TableScan
        || rel instanceof Converter && !(rel instanceof GpuToEnumerableConverter);
  }

  private String reason(RelNode rel) {
    String reason = reasons.get(key(rel));
    if (reason != null) {
      return reason;
    }
    if (rel instanceof TableScan scan) {
      return "table %s is another adapter's, and its rows have columns that the device has not"
          .formatted(scan.getTable().getQualifiedName());
    }
    if (rel instanceof Correlate correlate) {
      return ("a subquery uses columns of an outer query (%s) where it cannot be made a join;"
              + " write it as a join, or use these columns in its WHERE only")
          .formatted(correlate.getCorrelationId().getName());
    }
    for (RelNode node : withInputs(rel)) {
      for (RelDataTypeField field : node.getRowType().getFieldList()) {
        if (TypeMapping.of(field.getType()).kind() == TypeKind.OPAQUE) {
          return "column %s is of type %s, of which the device has no columns"
              .formatted(field.getName(), field.getType().getFullTypeString());
        }
      }
    }
    for (RelNode input : rel.getInputs()) {
      if (input instanceof EnumerableRel && !(input instanceof GpuToEnumerableConverter)) {
        return "its input %s is not on the device".formatted(input.getRelTypeName());
      }
    }
    return correlated
        ? "it is part of a query that stays correlated"
        : "the device has no such operator";
  }

  private static List<RelNode> withInputs(RelNode rel) {
    List<RelNode> nodes = new ArrayList<>(List.of(rel));
    nodes.addAll(rel.getInputs());
    return nodes;
  }

  private static boolean isCorrelated(RelNode rel) {
    return rel instanceof Correlate
        || rel.getInputs().stream().anyMatch(FallbackReasons::isCorrelated);
  }

  /** What a node does, without its inputs and without its convention. */
  private static String key(RelNode rel) {
    StringBuilder key = new StringBuilder(kind(rel));
    rel.explain(
        new RelWriterImpl(
            new java.io.PrintWriter(java.io.Writer.nullWriter()),
            SqlExplainLevel.EXPPLAN_ATTRIBUTES,
            false) {
          @Override
          protected void explain_(RelNode node, List<Pair<String, @Nullable Object>> values) {
            for (Pair<String, @Nullable Object> value : values) {
              if (!(value.right instanceof RelNode)) {
                key.append(',').append(value.left).append('=').append(value.right);
              }
            }
          }
        });
    return key.toString();
  }

  private static String kind(RelNode rel) {
    String name = rel.getRelTypeName();
    for (String prefix : List.of("Logical", "Enumerable", "Gpu")) {
      if (name.startsWith(prefix)) {
        name = name.substring(prefix.length());
      }
    }
    return name.replace("HashJoin", "Join")
        .replace("NestedLoopJoin", "Join")
        .replace("MergeJoin", "Join");
  }

  /** For tests and messages. */
  @Override
  public String toString() {
    return fallbacks.toString();
  }
}
