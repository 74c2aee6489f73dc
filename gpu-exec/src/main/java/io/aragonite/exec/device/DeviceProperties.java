package io.aragonite.exec.device;

/**
 * What operators must know of a device to cut their work.
 *
 * @param workers how many batches it wants to have in flight at once
 * @param batchRows rows of a batch that suit it (a multiple of 64): on a CPU what stays in cache
 * @param morselRows rows of the piece of work that a worker takes at a time (a multiple of
 *     batchRows)
 * @param memoryBytes size of its memory
 */
public record DeviceProperties(int workers, int batchRows, int morselRows, long memoryBytes) {}
