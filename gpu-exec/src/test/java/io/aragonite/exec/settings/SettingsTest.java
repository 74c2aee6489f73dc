package io.aragonite.exec.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private static EngineSettings of(SettingsProperty property, String value) {
    return EngineSettings.parse(Map.of(property.key(), value)::get);
  }

  @Test
  void nothingSet() {
    EngineSettings settings = EngineSettings.defaults();
    assertFalse(settings.diagnostics().memoryDebug());
    assertEquals(EngineSettings.GroupingMethod.AUTO, settings.grouping());
    assertEquals(Toggle.AUTO, settings.joins().filter());
    assertEquals(ExchangeSettings.AUTO, settings.exchange().replicatedRows());
    assertEquals(ExchangeSettings.AUTO, settings.exchange().twoChunkRows());
    assertTrue(settings.exchange().sortedTables());
    assertEquals(1 << 10, settings.exchange().hostRows());
    assertEquals(1 << 23, settings.exchange().sortPartRows());
    assertEquals(SizeSettings.DEFAULT, settings.sizes());
    assertEquals(DefaultDevice.AUTO, settings.defaultDevice());
    assertFalse(settings.constantHash());
  }

  @Test
  void usualValuesAreThoseOfNothing() {
    for (SettingsProperty property : SettingsProperty.values()) {
      assertEquals(EngineSettings.defaults(), of(property, property.usual()), property.key());
      assertEquals(EngineSettings.defaults(), of(property, " "), property.key());
    }
  }

  @Test
  void eachPropertySetsSomething() {
    Set<EngineSettings> all = new HashSet<>();
    all.add(EngineSettings.defaults());
    for (SettingsProperty property : SettingsProperty.values()) {
      String values = property.allowed();
      String other =
          values.contains("number") ? "77" : values.replace(property.usual(), "").split("\\W+")[0];
      other = other.isEmpty() ? values.replaceAll(".*\\W", "") : other;
      assertTrue(all.add(of(property, other)), property.key() + "=" + other);
      assertEquals(of(property, other), of(property, " " + other.toUpperCase(Locale.ROOT)));
    }
  }

  @Test
  void aWrongValueIsNamed() {
    for (SettingsProperty property : SettingsProperty.values()) {
      for (String wrong : new String[] {"often", "-3"}) {
        AragoniteException error =
            assertThrows(AragoniteException.class, () -> of(property, wrong), property.key());
        assertEquals(ErrorCode.INVALID_PROPERTY, error.code());
        String message = String.valueOf(error.getMessage());
        assertTrue(message.contains(property.key() + " is '" + wrong + "'"), message);
        assertTrue(message.contains(property.allowed()), message);
      }
    }
    assertThrows(AragoniteException.class, () -> of(SettingsProperty.SORT_PART, "0"));
  }

  @Test
  void whatIsReadAtTheStartLeavesErrorsToQueries() {
    SettingsParser lenient = new SettingsParser(name -> "often", true);
    assertEquals(EngineSettings.defaults(), lenient.settings());
  }
}
