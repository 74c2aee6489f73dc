package io.aragonite.exec.join;

import io.aragonite.exec.device.WordOrder;

/**
 * How the rows of both sides of a join lie already: one partition of an order behind the other, as
 * {@link io.aragonite.exec.device.Primitives#partitionRows} would bring them.
 *
 * @param order of the build side's words
 * @param bits the first ones of the order, that number the partitions
 * @param buildStarts where each partition begins, and all end
 */
public record Arranged(WordOrder order, int bits, int[] buildStarts, int[] probeStarts) {}
