package io.aragonite.adapter.statement;

import java.util.List;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.jdbc.CalciteSchema;
import org.jspecify.annotations.Nullable;

/** A statement that sets something of the connection when it is run. */
interface SessionSetting {
  /** Null if a statement is none. */
  static @Nullable SessionSetting of(String sql) {
    MaintenanceStatement maintenance = MaintenanceStatement.of(sql);
    if (maintenance != null) {
      return maintenance;
    }
    SchemaSetting schema = SchemaSetting.of(sql);
    FixedSetting fixed = schema == null ? FixedSetting.of(sql) : null;
    return schema != null
        ? schema
        : fixed != null ? fixed : TimeZoneSetting.of(sql); // which refuses other SETs
  }

  void apply(Session session);

  /** The statement. */
  default CalciteSignature<Object> signature(String sql, CalciteSchema root, Session session) {
    return new TableSignature(
        sql,
        root,
        List.of(),
        (_, _) -> {
          apply(session);
          return 0;
        });
  }
}
