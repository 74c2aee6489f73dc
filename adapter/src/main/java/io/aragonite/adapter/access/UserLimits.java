package io.aragonite.adapter.access;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What statements of a user may take; null: as much as the server has.
 *
 * @param queries statements that run at once
 * @param time of a statement
 * @param memory bytes that a statement's work may hold at once, on each device
 * @param rows of a result
 * @param bytes of a result, as they are sent, about
 */
public record UserLimits(
    @Nullable Integer queries,
    @Nullable Duration time,
    @Nullable Long memory,
    @Nullable Long rows,
    @Nullable Long bytes) {
  /** No limits. */
  public static final UserLimits NONE = new UserLimits(null, null, null, null, null);

  /** These, and others where there are none of these. */
  UserLimits orElse(UserLimits others) {
    return new UserLimits(
        queries != null ? queries : others.queries,
        time != null ? time : others.time,
        memory != null ? memory : others.memory,
        rows != null ? rows : others.rows,
        bytes != null ? bytes : others.bytes);
  }
}
