package io.aragonite.rules.rel;

import io.aragonite.exec.cost.JoinPrice.Phase;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way in which a join could run.
 *
 * @param name the algorithm and the side that it builds
 * @param nanos the expected time; infinite if it was refused
 * @param phases what that time consists of; empty if it is not known in parts
 * @param bytes memory that it needs at its peak
 * @param chosen whether the plan has this one
 * @param refused why it cannot be used, null if it can
 */
public record JoinCandidate(
    String name,
    double nanos,
    List<Phase> phases,
    double bytes,
    boolean chosen,
    @Nullable String refused) {}
