package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.spark.scan.ScanMetrics;
import io.aragonite.spark.scan.ScanPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions;
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** Scans of Spark's whose files our reader reads. */
final class ParquetScans {
  private static final Set<String> LOCAL =
      Set.of("org.apache.hadoop.fs.LocalFileSystem", "org.apache.hadoop.fs.RawLocalFileSystem");

  private ParquetScans() {}

  /** Why Spark reads the files of a scan; null if we do. */
  static @Nullable String refusal(FileSourceScanExec scan) {
    HadoopFsRelation relation = scan.relation();
    if (relation.fileFormat().getClass() != ParquetFileFormat.class) {
      return "its files are not Parquet";
    }
    SQLConf conf = scan.conf();
    ParquetOptions options = new ParquetOptions(relation.options(), conf);
    if (options.ignoreCorruptFiles() || options.ignoreMissingFiles()) {
      return "files that cannot be read are to be passed over";
    }
    if (scan.stream().isDefined()) {
      return "it is of a stream";
    }
    boolean ids =
        Boolean.parseBoolean(conf.getConfString("spark.sql.parquet.fieldId.read.enabled", "false"));
    if (ids && ParquetUtils.hasFieldIds(scan.requiredSchema())) {
      return "columns are found by their ids";
    }
    for (StructField field : scan.requiredSchema().fields()) {
      if (field.name().equals(ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME())) {
        return "it numbers the rows of files";
      }
      if (field.metadata().contains("EXISTS_DEFAULT")) {
        return "column %s has a default".formatted(field.name());
      }
    }
    int columns = scan.requiredSchema().length() + relation.partitionSchema().length();
    if (!scan.fileConstantMetadataColumns().isEmpty() || scan.output().length() != columns) {
      return "it tells of files";
    }
    return remote(scan);
  }

  private static @Nullable String remote(FileSourceScanExec scan) {
    String type = scan.sparkContext().hadoopConfiguration().get("fs.file.impl");
    if (type != null && !LOCAL.contains(type)) {
      return "local files are read by " + type;
    }
    for (Path path : CollectionConverters.asJava(scan.relation().location().rootPaths())) {
      String scheme = path.toUri().getScheme();
      if (scheme != null && !scheme.equals("file")) {
        return "its files are of %s, not local ones".formatted(scheme);
      }
    }
    return null;
  }

  /** How the files are read. */
  static ScanPlan plan(FileSourceScanExec scan, ScanMetrics metrics) {
    HadoopFsRelation relation = scan.relation();
    SQLConf conf = scan.conf();
    List<String> names = new ArrayList<>();
    for (StructField field : scan.requiredSchema().fields()) {
      names.add(field.name());
    }
    List<DataType> folders = new ArrayList<>();
    for (StructField field : relation.partitionSchema().fields()) {
      folders.add(field.dataType());
    }
    return new ScanPlan(
        List.copyOf(names),
        List.copyOf(folders),
        conf.parquetFilterPushDown() ? filters(scan) : List.of(),
        conf.caseSensitiveAnalysis(),
        new ParquetOptions(relation.options(), conf).datetimeRebaseModeInRead(),
        scan.supportsColumnar(),
        Boolean.parseBoolean(conf.getConfString(FragmentRule.STRICT, "false")),
        Objects.requireNonNull(scan.metrics().apply("numOutputRows")),
        metrics);
  }

  /** What can be translated of what rows are wanted. */
  private static List<Expr> filters(FileSourceScanExec scan) {
    List<Expr> filters = new ArrayList<>();
    List<Attribute> output = ScalaValues.list(scan.output());
    for (Expression filter : ScalaValues.<Expression>list(scan.dataFilters())) {
      List<Object> subqueries = new ArrayList<>();
      try {
        Expr translated =
            ExpressionTranslator.over(
                    output,
                    (subquery, type) -> {
                      subqueries.add(subquery);
                      return new Expr.Parameter(0, type);
                    })
                .predicate(filter);
        if (subqueries.isEmpty()) {
          filters.add(translated);
        }
      } catch (UntranslatableException e) {
        // The filter above decides.
      }
    }
    return List.copyOf(filters);
  }
}
