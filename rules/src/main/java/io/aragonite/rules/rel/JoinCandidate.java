package io.aragonite.rules.rel;

import org.jspecify.annotations.Nullable;

/**
 * A way in which a join could run.
 *
 * @param name the algorithm and the side that it builds
 * @param nanos the expected time; infinite if it was refused
 * @param chosen whether the plan has this one
 * @param refused why it cannot be used, null if it can
 */
public record JoinCandidate(String name, double nanos, boolean chosen, @Nullable String refused) {}
