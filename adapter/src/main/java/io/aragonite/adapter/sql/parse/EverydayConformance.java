package io.aragonite.adapter.sql.parse;

import org.apache.calcite.sql.validate.SqlConformance;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.apache.calcite.sql.validate.SqlDelegatingConformance;

/**
 * What is allowed unless {@code conformance=} names something else: what Calcite's BABEL allows,
 * but no column beside aggregates that is not grouped, and no truth value as a number.
 */
public final class EverydayConformance extends SqlDelegatingConformance {
  private static final SqlConformance INSTANCE = new EverydayConformance();

  private EverydayConformance() {
    super(SqlConformanceEnum.BABEL);
  }

  /** This one in place of Calcite's default, any other as it is. */
  public static SqlConformance orGiven(SqlConformance given) {
    return given == SqlConformanceEnum.DEFAULT ? INSTANCE : given;
  }

  @Override
  public boolean isNonStrictGroupBy() {
    return false;
  }

  @Override
  public boolean allowLenientCoercion() {
    return false;
  }

  @Override
  public SelectAliasLookup isSelectAlias() {
    return SelectAliasLookup.LEFT_TO_RIGHT;
  }

  @Override
  public boolean allowExplicitRowValueConstructor() {
    return true;
  }

  @Override
  public boolean isColonFieldAccessAllowed() {
    return false;
  }

  /** {@code f (x)} in FROM is a function, and {@code t (x INT)} nothing. */
  @Override
  public boolean allowExtend() {
    return false;
  }

  @Override
  public boolean allowGeometry() {
    return false;
  }
}
