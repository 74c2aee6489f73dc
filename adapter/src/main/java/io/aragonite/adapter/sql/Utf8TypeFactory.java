package io.aragonite.adapter.sql;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.type.DelegatingTypeSystem;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.sql.type.SqlTypeMappingRule;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/** Calcite's types, but texts are UTF-8: Calcite's own default refuses literals beyond Latin-1. */
public final class Utf8TypeFactory extends JavaTypeFactoryImpl {
  /**
   * @param raggedUnions whether CHARs of several lengths make a VARCHAR in a CASE, UNION or VALUES
   */
  public Utf8TypeFactory(RelDataTypeSystem typeSystem, boolean raggedUnions) {
    super(raggedUnions ? new Ragged(typeSystem) : typeSystem);
  }

  @Override
  public Charset getDefaultCharset() {
    return StandardCharsets.UTF_8;
  }

  /**
   * None for numbers beside dates, times or timestamps: Calcite's own answer is the date, so that a
   * 1 became the second of January 1970.
   */
  @Override
  public @Nullable RelDataType leastRestrictive(
      List<RelDataType> types, SqlTypeMappingRule mappingRule) {
    boolean numbers = types.stream().anyMatch(SqlTypeUtil::isNumeric);
    boolean moments = types.stream().anyMatch(SqlTypeUtil::isDatetime);
    return numbers && moments ? null : super.leastRestrictive(types, mappingRule);
  }

  private static final class Ragged extends DelegatingTypeSystem {
    Ragged(RelDataTypeSystem typeSystem) {
      super(typeSystem);
    }

    @Override
    public boolean shouldConvertRaggedUnionTypesToVarying() {
      return true;
    }
  }
}
