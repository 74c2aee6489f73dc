package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * How a relation takes part in the binding of a variable: a level of its trie, whose values below
 * the node that a binding has reached are those that the variable may have there (Wu, Zinn, Aref
 * and Yalamanchili, section 3.1).
 *
 * @param values 32-bit values, signed, ascending below each parent and without repetition; null for
 *     a dense level: the value at position p is {@code min + p}
 * @param min of a dense level the first value
 * @param size positions of the level
 * @param parents for each position of the level above where its children begin, 32-bit, and {@code
 *     size} at the end; null: there is no level above, all positions are candidates
 * @param parentSize positions of the level above
 * @param nodes for each binding the position it has in the level above, 32-bit; null with {@code
 *     parents}
 * @param starts for each position where its children or rows begin, 32-bit, and their number at the
 *     end; null if nobody wants to know. A position without any is no candidate.
 * @param counted whether the number of its rows counts in {@link TrieOps#count}
 */
public record TrieInput(
    @Nullable Buffer values,
    int min,
    int size,
    @Nullable Buffer parents,
    int parentSize,
    @Nullable Buffer nodes,
    @Nullable Buffer starts,
    boolean counted) {}
