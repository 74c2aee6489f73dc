package io.aragonite.spark.execution;

import java.io.Serializable;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * What a shuffle of columns counts.
 *
 * @param rows that were written
 * @param dataSize bytes that Spark's rows of these values have: what its planning compares
 * @param sliceBytes bytes of the slices before they are compressed
 * @param nanos time of tasks that slices took to make
 */
public record ShuffleMetrics(
    SQLMetric rows, SQLMetric dataSize, SQLMetric sliceBytes, SQLMetric nanos)
    implements Serializable {}
