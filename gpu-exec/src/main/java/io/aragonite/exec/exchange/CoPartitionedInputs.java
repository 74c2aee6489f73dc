package io.aragonite.exec.exchange;

import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.vector.Column;
import java.util.List;

/**
 * How the rows of both sides of a join lie already: slices of partitions of an order, and in each
 * slice runs of a device each, which lie one partition behind the other as {@link
 * io.aragonite.exec.device.PartitionOps#partitionRows} would bring them.
 *
 * @param order of the build side's words
 * @param bits the first ones of the order, that number the partitions
 * @param build its slices, one behind the other
 * @param sample words of some of the probe side's rows, if there are any, to be looked at while
 *     others are still on their way
 * @param partners whether those of the probe side's words that were looked at lie among the build
 *     side's
 */
public record CoPartitionedInputs(
    PartitionFunction order,
    int bits,
    List<PartitionSlice> build,
    List<PartitionSlice> probe,
    Column sample,
    boolean partners) {
  /**
   * What a side has of some partitions.
   *
   * @param starts of each run where each of all partitions begins among all rows, and the last one
   *     ends; partitions that are not of the slice are empty
   * @param ticket of the rows' arrival
   */
  public record PartitionSlice(int[][] starts, CopyTicket ticket) {}
}
