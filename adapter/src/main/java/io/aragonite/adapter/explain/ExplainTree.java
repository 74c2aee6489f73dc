package io.aragonite.adapter.explain;

import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.exec.engine.DevicePolicy;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.operator.join.FilterPlace;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.rel.GpuAggregate;
import io.aragonite.rules.rel.GpuJoin;
import io.aragonite.rules.rel.GpuMultiwayJoin;
import io.aragonite.rules.rel.GpuProject;
import io.aragonite.rules.rel.GpuRel;
import io.aragonite.rules.rel.GpuRelImplementor;
import io.aragonite.rules.rel.GpuSort;
import io.aragonite.rules.rel.GpuTableScan;
import io.aragonite.rules.rel.GpuToEnumerableConverter;
import io.aragonite.rules.rel.JoinCandidate;
import io.aragonite.rules.runtime.EngineProvider;
import io.aragonite.rules.runtime.GpuQuery;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.externalize.RelWriterImpl;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlExplainLevel;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.Pair;
import org.jspecify.annotations.Nullable;

/** Describes the nodes of a plan. */
final class ExplainTree {
  private static final String CALCITE = "calcite";
  // a text literal, which is left alone, or a column reference
  private static final Pattern REFERENCE = Pattern.compile("'(?:[^']|'')*'|\\$(\\d+)");

  private final RelMetadataQuery metadata;
  private final RelOptPlanner planner;
  private final List<GpuQuery> queries = new ArrayList<>();
  private final Map<GpuQuery, QueryMetrics> metrics;
  private final String device;

  /** How several devices run the statement's query; null if one does. */
  private final DeviceGroup.@Nullable Preview together;

  /**
   * @param metrics what the engine counted, empty if the query was not run
   */
  ExplainTree(PreparedPlan plan, Map<GpuQuery, QueryMetrics> metrics) {
    this(plan, metrics, plan.root().rel.getCluster().getMetadataQuery());
  }

  /**
   * @param metadata answers one thread only, as that of the plan itself does
   */
  ExplainTree(PreparedPlan plan, Map<GpuQuery, QueryMetrics> metrics, RelMetadataQuery metadata) {
    RelNode root = plan.root().rel;
    this.metadata = metadata;
    this.planner = root.getCluster().getPlanner();
    this.metrics = metrics;
    queries.addAll(metrics.keySet());
    GpuQuery whole = plan.query();
    if (whole != null && !metrics.containsKey(whole)) {
      queries.add(whole);
    }
    addQueries(root);
    EngineProvider engines =
        planner.getContext() == null ? null : planner.getContext().unwrap(EngineProvider.class);
    DeviceGroup group = engines == null ? null : engines.engine().group();
    this.together = group == null || whole == null ? null : group.preview(whole.plan());
    this.device =
        together == null || !metrics.isEmpty()
            ? device(plan, metrics.values(), engines)
            : together.device();
  }

  /** Where the rows of a node go, if several devices run the query. */
  private Map<String, String> withExchange(Map<String, String> attributes, RelNode rel) {
    if (together == null) {
      return attributes;
    }
    Map<String, String> more = new LinkedHashMap<>(attributes);
    for (GpuQuery query : queries) {
      PhysicalPlan plan = query.planOf(rel);
      while (rel instanceof GpuJoin && plan instanceof PhysicalPlan.Project project) {
        plan = project.input();
      }
      String text = plan == null ? null : together.exchanges().get(plan);
      if (text != null) {
        more.put("exchange", text);
      }
    }
    return more;
  }

  /** Where the query ran, or would run. */
  private static String device(
      PreparedPlan plan, Collection<QueryMetrics> metrics, @Nullable EngineProvider engines) {
    for (QueryMetrics ran : metrics) {
      return ran.device();
    }
    if (engines == null) {
      return "device";
    }
    DevicePolicy policy = engines.engine().policy();
    return policy == null || plan.query() == null
        ? engines.engine().deviceName()
        : policy.preview(plan.query().plan()).device().name();
  }

  /** The queries of a plan of which only parts are the engine's. */
  private void addQueries(RelNode rel) {
    boolean known = queries.stream().anyMatch(query -> query.planOf(rel) != null);
    if (known) {
      return;
    }
    if (rel instanceof GpuToEnumerableConverter converter
        && queries.stream().noneMatch(query -> query.planOf(converter.getInput()) != null)) {
      queries.add(GpuRelImplementor.query(converter.getInput()));
    }
    rel.getInputs().forEach(this::addQueries);
  }

  /** The functions of Calcite's that nodes of the plan call. */
  Set<String> hostFunctions() {
    Set<String> names = new TreeSet<>();
    queries.forEach(query -> names.addAll(query.hostFunctions()));
    return names;
  }

  private Map<String, String> withHostFunctions(Map<String, String> attributes, RelNode rel) {
    Set<String> names = new TreeSet<>();
    queries.forEach(query -> names.addAll(query.hostFunctions(rel)));
    if (names.isEmpty()) {
      return attributes;
    }
    Map<String, String> more = new LinkedHashMap<>(attributes);
    more.put("hostFunctions", String.join(", ", names));
    return more;
  }

  ExplainNode build(RelNode rel) {
    List<ExplainNode> inputs = rel.getInputs().stream().map(this::build).toList();
    if (rel instanceof GpuToEnumerableConverter && inputs.size() == 1) {
      return inputs.get(0); // the border itself is no work worth a line
    }
    if (rel instanceof GpuProject project && selectsColumns(project)) {
      return selection(project);
    }
    return new ExplainNode(
        OperatorNames.name(rel),
        rel instanceof GpuRel ? device : CALCITE,
        OperatorNames.variant(rel),
        withName(withExchange(withHostFunctions(attributes(rel), rel), rel), rel),
        orZero(metadata.getRowCount(rel)),
        cost(rel),
        rel instanceof GpuJoin join ? expected(join) : null,
        candidates(rel),
        actual(rel),
        inputs);
  }

  /** The name by which the provider of cardinalities knows the relation, if there is one. */
  private Map<String, String> withName(Map<String, String> attributes, RelNode rel) {
    CardinalityProvider provider = CardinalityProvider.of(planner);
    String name = provider == null ? null : provider.name(rel);
    if (name == null) {
      return attributes;
    }
    Map<String, String> more = new LinkedHashMap<>(attributes);
    more.put("relation", name);
    return more;
  }

  private List<JoinCandidate> candidates(RelNode rel) {
    return switch (rel) {
      case GpuJoin join -> join.candidates(metadata);
      case GpuMultiwayJoin join -> join.candidates();
      default -> List.of();
    };
  }

  private ExplainNode.@Nullable Expected expected(GpuJoin join) {
    if (join.algorithm() == JoinAlgorithm.NESTED_LOOP) {
      return null;
    }
    JoinEstimate estimate = JoinPricing.estimate(join, metadata, join.buildLeft());
    return new ExplainNode.Expected(
        estimate.matchRatio(),
        estimate.topShare(),
        estimate.distinct(),
        estimate.guessed(),
        JoinPricing.profile(planner).source());
  }

  /** Whether a projection only says which columns of a table are read. */
  private static boolean selectsColumns(GpuProject project) {
    return project.getInput() instanceof GpuTableScan
        && project.getProjects().stream().allMatch(RexInputRef.class::isInstance);
  }

  private ExplainNode selection(GpuProject project) {
    ExplainNode scan = build(project.getInput());
    Map<String, String> attributes = new LinkedHashMap<>(scan.attributes());
    attributes.putAll(
        withExchange(withHostFunctions(projectAttributes(project), project), project));
    ExplainNode.Actual own = actual(project);
    return new ExplainNode(
        scan.name(),
        scan.device(),
        scan.variant(),
        attributes,
        scan.rows(),
        scan.costNanos() + cost(project),
        null,
        List.of(),
        own != null ? own : scan.actual(),
        List.of());
  }

  private static Map<String, String> projectAttributes(GpuProject project) {
    List<String> inputs = project.getInput().getRowType().getFieldNames();
    List<String> outputs = project.getRowType().getFieldNames();
    List<String> columns = new ArrayList<>();
    for (int i = 0; i < outputs.size(); i++) {
      RexNode expression = project.getProjects().get(i);
      String name = outputs.get(i);
      columns.add(
          expression instanceof RexInputRef ref && inputs.get(ref.getIndex()).equals(name)
              ? name
              : named(expression.toString(), project) + " as " + name);
    }
    return Map.of("columns", String.join(", ", columns));
  }

  private static double orZero(@Nullable Double value) {
    return value == null ? 0 : value;
  }

  private double cost(RelNode rel) {
    RelOptCost cost = rel.computeSelfCost(planner, metadata);
    return cost instanceof GpuCost time ? time.nanos() : cost == null ? 0 : cost.getCpu();
  }

  private Map<String, String> attributes(RelNode rel) {
    return switch (rel) {
      case GpuJoin join -> joinAttributes(join);
      case GpuSort sort -> sortAttributes(sort);
      case GpuAggregate aggregate -> aggregateAttributes(aggregate);
      case GpuProject project -> projectAttributes(project);
      case GpuMultiwayJoin join -> join.attributes();
      case TableScan scan -> scanAttributes(scan);
      default -> writtenAttributes(rel);
    };
  }

  private static Map<String, String> scanAttributes(TableScan scan) {
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put("table", String.join(".", scan.getTable().getQualifiedName()));
    TableData data = scan.getTable().unwrap(TableData.class);
    if (data != null && data.part() != null) {
      attributes.put("part", data.part());
    }
    return attributes;
  }

  private Map<String, String> joinAttributes(GpuJoin join) {
    Map<String, String> attributes = writtenAttributes(join);
    for (GpuQuery query : queries) {
      PhysicalPlan plan = query.planOf(join);
      while (plan instanceof PhysicalPlan.Project project) {
        plan = project.input();
      }
      if (plan instanceof PhysicalPlan.Join planned && planned.expected() != null) {
        FilterPlace place =
            FilterPlace.of(planned, planned.expected().buildRows(), JoinPricing.profile(planner));
        if (place != null) {
          attributes.put("filter", place.text(planned));
        }
      }
    }
    return attributes;
  }

  private static Map<String, String> sortAttributes(GpuSort sort) {
    Map<String, String> attributes = new LinkedHashMap<>();
    List<String> names = sort.getRowType().getFieldNames();
    List<String> keys = new ArrayList<>();
    for (RelFieldCollation key : sort.getCollation().getFieldCollations()) {
      keys.add(
          names.get(key.getFieldIndex())
              + (key.getDirection().isDescending() ? " desc" : "")
              + switch (key.nullDirection) {
                case FIRST -> " nulls first";
                case LAST -> " nulls last";
                case UNSPECIFIED -> "";
              });
    }
    if (!keys.isEmpty()) {
      attributes.put("order", String.join(", ", keys));
    }
    if (sort.offset != null) {
      attributes.put("offset", sort.offset.toString());
    }
    if (sort.fetch != null) {
      attributes.put("fetch", sort.fetch.toString());
    }
    return attributes;
  }

  private static Map<String, String> aggregateAttributes(GpuAggregate aggregate) {
    Map<String, String> attributes = new LinkedHashMap<>();
    List<String> names = aggregate.getInput().getRowType().getFieldNames();
    if (!aggregate.getGroupSet().isEmpty()) {
      attributes.put("keys", columns(aggregate.getGroupSet(), names));
    }
    if (aggregate.getGroupSets().size() > 1) {
      attributes.put(
          "sets",
          aggregate.getGroupSets().stream()
              .map(set -> "(" + columns(set, names) + ")")
              .collect(Collectors.joining(", ")));
    }
    if (!aggregate.getAggCallList().isEmpty()) {
      attributes.put(
          "calls",
          aggregate.getAggCallList().stream()
              .map(call -> named(call.toString(), aggregate))
              .collect(Collectors.joining(", ")));
    }
    return attributes;
  }

  private static String columns(ImmutableBitSet columns, List<String> names) {
    return columns.asList().stream().map(names::get).collect(Collectors.joining(", "));
  }

  private static Map<String, String> writtenAttributes(RelNode rel) {
    Map<String, String> attributes = new LinkedHashMap<>();
    rel.explain(
        new RelWriterImpl(
            new PrintWriter(Writer.nullWriter()), SqlExplainLevel.EXPPLAN_ATTRIBUTES, false) {
          @Override
          protected void explain_(RelNode node, List<Pair<String, @Nullable Object>> values) {
            for (Pair<String, @Nullable Object> value : values) {
              if (!(value.right instanceof RelNode)
                  && !value.left.equals("algorithm")
                  && !value.left.equals("build")) {
                attributes.put(value.left, named(String.valueOf(value.right), node));
              }
            }
          }
        });
    return attributes;
  }

  /** Column references by name. */
  private static String named(String text, RelNode rel) {
    List<String> names = new ArrayList<>();
    for (RelNode input : rel.getInputs()) {
      names.addAll(input.getRowType().getFieldNames());
    }
    Matcher matcher = REFERENCE.matcher(text);
    StringBuilder result = new StringBuilder();
    while (matcher.find()) {
      String digits = matcher.group(1);
      int index = digits == null ? -1 : Integer.parseInt(digits);
      String replacement = index >= 0 && index < names.size() ? names.get(index) : matcher.group();
      matcher.appendReplacement(result, Matcher.quoteReplacement(replacement));
    }
    return CharsetNames.removed(matcher.appendTail(result).toString());
  }

  private ExplainNode.@Nullable Actual actual(RelNode rel) {
    for (GpuQuery query : queries) {
      PhysicalPlan plan = query.planOf(rel);
      if (plan == null) {
        continue;
      }
      QueryMetrics counted = metrics.get(query);
      if (counted != null) {
        QueryMetrics.NodeMetrics node = counted.node(plan);
        return new ExplainNode.Actual(
            node.rows.sum(),
            counted.nanos(node),
            node.stateBytes.sum(),
            Map.copyOf(node.figures),
            node.note);
      }
    }
    return null;
  }
}
