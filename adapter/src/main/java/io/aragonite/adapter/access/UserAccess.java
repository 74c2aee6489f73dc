package io.aragonite.adapter.access;

import io.aragonite.adapter.catalog.ConnectionAccess;
import org.jspecify.annotations.Nullable;

/**
 * What a user may do.
 *
 * @param tables what connections of the user see; null: everything
 */
public record UserAccess(@Nullable ConnectionAccess tables, UserLimits limits) {
  /** All rights, and no limits. */
  public static final UserAccess EVERYTHING = new UserAccess(null, UserLimits.NONE);
}
