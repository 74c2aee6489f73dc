package io.aragonite.spark.scan;

import io.aragonite.exec.expr.Expr;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataType;

/**
 * How files are read, as it goes to executors. Columns that come out are first those of files, then
 * those of folders' names.
 *
 * @param names of the columns of files
 * @param folderTypes Spark's types of the columns that names of folders give
 * @param filters over the columns that come out: rows for which one is not true are not wanted, but
 *     may come
 * @param caseSensitive whether names of columns are
 * @param rebaseMode Spark's for dates and times of files that do not say how they count
 * @param sparkReadsColumns whether Spark's reader, where it has to help, makes columns
 * @param strict whether a file that Spark would have to read is an error
 * @param rows Spark's count of the scan's rows
 * @param metrics the fragment's
 */
public record ScanPlan(
    List<String> names,
    List<DataType> folderTypes,
    List<Expr> filters,
    boolean caseSensitive,
    String rebaseMode,
    boolean sparkReadsColumns,
    boolean strict,
    SQLMetric rows,
    ScanMetrics metrics)
    implements Serializable {}
