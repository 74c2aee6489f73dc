package io.aragonite.adapter;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.type.DelegatingTypeSystem;
import org.apache.calcite.rel.type.RelDataTypeSystem;

/** Calcite's types, but texts are UTF-8: Calcite's own default refuses literals beyond Latin-1. */
final class Utf8TypeFactory extends JavaTypeFactoryImpl {
  /**
   * @param raggedUnions whether CHARs of several lengths make a VARCHAR in a CASE, UNION or VALUES
   */
  Utf8TypeFactory(RelDataTypeSystem typeSystem, boolean raggedUnions) {
    super(raggedUnions ? new Ragged(typeSystem) : typeSystem);
  }

  @Override
  public Charset getDefaultCharset() {
    return StandardCharsets.UTF_8;
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
