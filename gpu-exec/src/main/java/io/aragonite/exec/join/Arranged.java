package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.device.WordOrder;

/**
 * How the rows of both sides of a join lie already: one partition of an order behind the other, as
 * {@link io.aragonite.exec.device.Primitives#partitionRows} would bring them.
 *
 * @param order of the build side's words
 * @param bits the first ones of the order, that number the partitions
 * @param buildStarts where each partition begins, and all end
 * @param sample words of some of the probe side's rows, if there are any, to be looked at while
 *     others are still on their way
 */
public record Arranged(
    WordOrder order, int bits, int[] buildStarts, int[] probeStarts, Column sample) {}
