package io.aragonite.spark.plan;

import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.spark.execution.ColumnsToRows;
import io.aragonite.spark.execution.FragmentMetrics;
import io.aragonite.spark.execution.FragmentPlan;
import io.aragonite.spark.execution.FragmentRDD;
import io.aragonite.spark.scan.ScanMetrics;
import io.aragonite.spark.scan.ScanPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** A fragment in a plan of Spark's: AragoniteFragment in EXPLAIN. Its children are its inputs. */
public final class FragmentExec extends SparkPlan {
  private static final long serialVersionUID = 1L;
  private static final String NAME = "AragoniteFragment";

  private final transient SparkPlan original;
  private final transient Fragment fragment;

  /** They go to executors: operators of Spark's above it look at their trees there. */
  private final List<SparkPlan> inputs;

  private final List<Attribute> output;
  private final transient List<SortOrder> ordering;
  private transient @Nullable FragmentMetrics figures;
  private transient @Nullable ScanMetrics scanFigures;

  /**
   * @param original the operators that it stands for
   * @param inputs the sources of the fragment's inputs, or what has taken their places
   */
  FragmentExec(SparkPlan original, Fragment fragment, List<SparkPlan> inputs) {
    this.original = original;
    this.fragment = fragment;
    this.inputs = inputs;
    this.output = fragment.output();
    this.ordering = fragment.ordering();
  }

  /** Names of Spark's operators that run in it, from the top, and of scans that it reads. */
  public List<String> operatorNames() {
    return Stream.concat(fragment.operators().stream(), scans()).map(SparkPlan::nodeName).toList();
  }

  /** The scans whose files it reads. */
  private Stream<SparkPlan> scans() {
    return fragment.inputs().stream()
        .filter(input -> input.kind() == FragmentPlan.InputKind.FILES)
        .map(Fragment.Input::source);
  }

  /** The plan that tasks run. */
  public PhysicalPlan plan() {
    return fragment.plan();
  }

  /** Why operators beside it stay with Spark. */
  public List<String> reasons() {
    return fragment.reasons();
  }

  @Override
  public Seq<Attribute> output() {
    return ScalaValues.seq(output);
  }

  @Override
  public Seq<SparkPlan> children() {
    return ScalaValues.seq(inputs);
  }

  @Override
  public Partitioning outputPartitioning() {
    return original.outputPartitioning();
  }

  /** The order that the fragment makes, which may be less than that of Spark's operators. */
  @Override
  public Seq<SortOrder> outputOrdering() {
    return ScalaValues.seq(ordering);
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> newChildren) {
    return new FragmentExec(original, fragment, ScalaValues.list(newChildren));
  }

  @Override
  public Map<String, SQLMetric> metrics() {
    java.util.Map<String, SQLMetric> all = figures().byName();
    if (scans().findAny().isPresent()) {
      all.putAll(scanFigures().byName());
    }
    return ScalaValues.map(all);
  }

  private synchronized ScanMetrics scanFigures() {
    ScanMetrics known = scanFigures;
    if (known == null) {
      known = ScanMetrics.create(sparkContext());
      scanFigures = known;
    }
    return known;
  }

  private synchronized FragmentMetrics figures() {
    FragmentMetrics known = figures;
    if (known == null) {
      known = FragmentMetrics.create(sparkContext(), joins(fragment.plan()));
      figures = known;
    }
    return known;
  }

  private static boolean joins(PhysicalPlan plan) {
    return plan instanceof PhysicalPlan.Join || plan.inputs().stream().anyMatch(FragmentExec::joins);
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return ColumnsToRows.of(doExecuteColumnar(), types(), figures().rowsMade());
  }

  private List<org.apache.spark.sql.types.DataType> types() {
    return output.stream().map(Attribute::dataType).toList();
  }

  @Override
  public RDD<ColumnarBatch> doExecuteColumnar() {
    List<RDD<?>> partitioned = new ArrayList<>();
    List<Broadcast<?>> broadcasts = new ArrayList<>();
    List<FragmentPlan.FragmentInput> described = new ArrayList<>();
    List<List<Integer>> characters = CharacterFunctions.columns(fragment.plan(), inputs.size());
    for (int i = 0; i < inputs.size(); i++) {
      SparkPlan input = inputs.get(i);
      FragmentPlan.InputKind kind = fragment.inputs().get(i).kind();
      List<org.apache.spark.sql.types.DataType> sparkTypes =
          ScalaValues.<Attribute>list(input.output()).stream().map(Attribute::dataType).toList();
      ScanPlan scan =
          kind == FragmentPlan.InputKind.FILES
              ? ParquetScans.plan((FileSourceScanExec) input, scanFigures())
              : null;
      described.add(
          new FragmentPlan.FragmentInput(
              kind, sparkTypes, fragment.inputs().get(i).types(), scan, characters.get(i)));
      switch (kind) {
        case ROWS -> partitioned.add(input.execute());
        case COLUMNS -> partitioned.add(input.executeColumnar());
        case FILES -> partitioned.add(files((FileSourceScanExec) input));
        case BROADCAST -> broadcasts.add(input.executeBroadcast());
      }
    }
    FragmentPlan shipped = new FragmentPlan(fragment.plan(), described, types(), JoinTranslator.forced(conf()));
    List<@Nullable Object> values = new ArrayList<>();
    for (Expression subquery : fragment.subqueries()) {
      values.add(ScalaValues.literal(subquery.eval(null)));
    }
    return new FragmentRDD(sparkContext(), shipped, figures(), partitioned, broadcasts, values, fragment.leftInputs());
  }

  /** What Spark reads files with: its partitions are ours. */
  private static RDD<?> files(FileSourceScanExec scan) {
    // Waits for subqueries, whose values partitions depend on, as Spark does.
    RDD<?> ready = scan.supportsColumnar() ? scan.executeColumnar() : scan.execute();
    assert ready != null;
    return scan.inputRDD();
  }

  // What Spark's trees ask of a case class: the expressions of a node are found this way.

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int n) {
    if (n != 0) {
      throw new IndexOutOfBoundsException(n);
    }
    return ScalaValues.<Expression>seq(fragment.subqueries());
  }

  @Override
  public boolean canEqual(Object that) {
    return that instanceof FragmentExec;
  }

  @Override
  public SparkPlan makeCopy(Object[] arguments) {
    @SuppressWarnings("unchecked")
    scala.collection.Seq<Expression> subqueries =
        (scala.collection.Seq<Expression>) arguments[0];
    Fragment changed =
        new Fragment(
            fragment.plan(),
            fragment.output(),
            fragment.ordering(),
            fragment.inputs(),
            List.copyOf(CollectionConverters.asJava(subqueries)),
            fragment.operators(),
            fragment.reasons(),
            fragment.leftInputs());
    return new FragmentExec(original, changed, inputs);
  }

  /** That of what it stands for: so exchanges over the same fragments are reused. */
  @Override
  public SparkPlan doCanonicalize() {
    return original.canonicalized();
  }

  @Override
  public String nodeName() {
    return NAME;
  }

  @Override
  public String simpleString(int maxFields) {
    String held = String.join(", ", operatorNames());
    String kept =
        fragment.reasons().isEmpty()
            ? ""
            : "; left with Spark: " + String.join("; ", fragment.reasons());
    return NAME + " [" + held + "]" + kept;
  }

  @Override
  public String verboseStringWithOperatorId() {
    String held =
        Stream.concat(fragment.operators().stream(), scans())
            .map(operator -> "  " + operator.simpleString(conf().maxToStringFields()))
            .collect(Collectors.joining("\n"));
    String kept =
        fragment.reasons().stream()
            .map(reason -> "\nLeft with Spark: " + reason)
            .collect(Collectors.joining());
    return formattedNodeName() + "\nOperators:\n" + held + kept + "\n";
  }
}
