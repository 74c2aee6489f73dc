package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/**
 * The words of one side of a join, which {@link PartitionOps#partitionRows} has partitioned.
 *
 * @param words of 4 or 8 bytes, as those of the other side
 * @param starts where partitions begin, 32-bit, and behind the last one's rows
 */
public record PartitionedWords(Buffer words, Buffer starts) {}
