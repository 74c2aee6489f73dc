package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.device.WordOrder;
import java.util.List;

/**
 * How the rows of both sides of a join lie already: run by run, each one partition of an order
 * behind the other, as {@link io.aragonite.exec.device.Primitives#partitionRows} would bring them.
 *
 * @param order of the build side's words
 * @param bits the first ones of the order, that number the partitions
 * @param build its runs, one behind the other
 * @param sample words of some of the probe side's rows, if there are any, to be looked at while
 *     others are still on their way
 */
public record Arranged(WordOrder order, int bits, List<Run> build, List<Run> probe, Column sample) {
  /**
   * Some rows of a side.
   *
   * @param starts where each partition begins among all rows, and all end
   * @param arrives has what is asked of the device from then on come behind the rows' arrival
   */
  public record Run(int[] starts, Runnable arrives) {
    int from() {
      return starts[0];
    }

    int rows() {
      return starts[starts.length - 1] - starts[0];
    }
  }
}
