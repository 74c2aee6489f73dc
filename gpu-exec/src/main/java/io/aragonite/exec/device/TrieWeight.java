package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/**
 * How often the rows of a relation occur that a binding has reached.
 *
 * @param starts for each position of the trie's last level where its rows begin, 32-bit
 * @param size positions of that level
 * @param nodes the position of each binding, 32-bit
 */
public record TrieWeight(Buffer starts, int size, Buffer nodes) {}
