package io.aragonite.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.DatasetColumn;
import io.aragonite.dataset.DatasetForeignKey;
import io.aragonite.dataset.DatasetSchema;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TpchTableTest {
  @Test
  void typesAreThoseOfTheSpecification() {
    Schema lineitem = TpchTable.LINEITEM.schema(new TpchScale(1), 6_001_215);
    assertEquals("Int(64, true)", lineitem.findField("l_orderkey").getType().toString());
    assertEquals("Int(32, true)", lineitem.findField("l_linenumber").getType().toString());
    assertEquals("Decimal(15, 2, 128)", lineitem.findField("l_tax").getType().toString());
    assertEquals("Date(DAY)", lineitem.findField("l_shipdate").getType().toString());
    assertEquals("Utf8", lineitem.findField("l_comment").getType().toString());
    assertEquals(
        Map.of("aragonite.type", "VARCHAR(44)"), lineitem.findField("l_comment").getMetadata());
    assertEquals(
        Map.of("aragonite.type", "CHAR(10)"), lineitem.findField("l_shipmode").getMetadata());
    assertEquals("DECIMAL(15,2)", TpchTable.LINEITEM.columns().get(7).sqlType());
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsNullable(TpchTable table) {
    for (Field field : table.schema(new TpchScale(1), 0).getFields()) {
      assertFalse(field.isNullable(), field.getName());
    }
  }

  @ParameterizedTest
  @EnumSource
  void keysNameColumnsThatExist(TpchTable table) {
    List<String> names = table.columns().stream().map(DatasetColumn::name).toList();
    assertTrue(names.containsAll(table.primaryKey()));
    for (DatasetForeignKey key : table.foreignKeys()) {
      assertTrue(names.containsAll(key.columns()), key.toString());
      TpchTable target = TpchTable.valueOf(key.target().toUpperCase(java.util.Locale.ROOT));
      assertEquals(target.primaryKey(), key.targetColumns(), key.toString());
      assertEquals(key, DatasetForeignKey.parse(key.toString()));
    }
  }

  @Test
  void keysAreInTheMetadata() {
    Map<String, String> metadata =
        TpchTable.LINEITEM.schema(new TpchScale(1), 42).getCustomMetadata();
    assertEquals("l_orderkey,l_linenumber", metadata.get("aragonite.primaryKey"));
    assertEquals(
        "l_orderkey->orders(o_orderkey);l_partkey->part(p_partkey);"
            + "l_suppkey->supplier(s_suppkey);"
            + "l_partkey,l_suppkey->partsupp(ps_partkey,ps_suppkey)",
        metadata.get("aragonite.foreignKeys"));
    assertEquals("42", metadata.get("aragonite.rowCount"));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.012})
  void aKeyThatTheDataDoesNotHaveIsNotDeclared(double factor) {
    TpchScale scale = new TpchScale(factor);
    assertFalse(scale.partSuppKeysAreUnique());
    assertNull(
        TpchTable.PARTSUPP.schema(scale, 0).getCustomMetadata().get(DatasetSchema.PRIMARY_KEY));
    assertEquals(3, TpchTable.LINEITEM.foreignKeys(scale).size());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.1, 1, 10, 1000, 100_000})
  void usualScalesHaveAllKeys(double factor) {
    assertTrue(new TpchScale(factor).partSuppKeysAreUnique());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 0.0009, 1e6, Double.NaN, Double.POSITIVE_INFINITY})
  void badScalesAreRefused(double factor) {
    var error = assertThrows(IllegalArgumentException.class, () -> new TpchScale(factor));
    assertTrue(error.getMessage().contains(Double.toString(factor)), error.getMessage());
  }

  @Test
  void scalesHaveShortNames() {
    assertEquals("0.01", new TpchScale(0.01).toString());
    assertEquals("1", new TpchScale(1).toString());
    assertEquals("100", new TpchScale(100).toString());
  }
}
