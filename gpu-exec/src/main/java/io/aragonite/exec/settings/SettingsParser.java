package io.aragonite.exec.settings;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.Locale;

/**
 * Reads settings from properties.
 *
 * @param properties values by names
 * @param lenient whether a wrong value counts as none
 */
record SettingsParser(PropertyLookup properties, boolean lenient) {
  EngineSettings settings() {
    SizeSettings sizes = SizeSettings.DEFAULT;
    return new EngineSettings(
        diagnostics(),
        choice(SettingsProperty.GROUP, EngineSettings.GroupingMethod.class),
        new JoinSettings(
            choice(SettingsProperty.JOIN_FILTER, Toggle.class),
            choice(SettingsProperty.JOIN_TRANSFER, Toggle.class),
            choice(SettingsProperty.JOIN_PARTS, Toggle.class),
            choice(SettingsProperty.SPILL_PARTS, JoinSettings.SpilledJoinMethod.class)),
        exchange(),
        new SizeSettings(
            sizes.batchRows(),
            sizes.partialGroups(),
            sizes.sampledRows(),
            rows(SettingsProperty.SPILL_PACKED_ROWS, 0),
            sizes.spillBytes(),
            sizes.streamedBytes(),
            sizes.rowGroupRows()),
        new PlanningSettings(
            rows(SettingsProperty.PLANNING_MILLIS, 0), rows(SettingsProperty.PLANNING_FIRINGS, 0)),
        flag(SettingsProperty.STATISTICS, "on", "off"),
        flag(SettingsProperty.KERNELS, "on", "off"),
        choice(SettingsProperty.PAGES, Toggle.class),
        flag(SettingsProperty.COLUMNS_NARROW, "on", "off"),
        choice(SettingsProperty.EXPRESSIONS_INTERPRET, Toggle.class),
        DefaultDevice.AUTO,
        false);
  }

  DiagnosticSettings diagnostics() {
    return new DiagnosticSettings(
        flag(SettingsProperty.MEMORY_DEBUG, "true", "false"),
        flag(SettingsProperty.MEMORY_SLACK, "true", "false"),
        flag(SettingsProperty.CUDA_TRACE, "true", "false"),
        choice(SettingsProperty.JIT_INLINE, DiagnosticSettings.Inlining.class));
  }

  private ExchangeSettings exchange() {
    return new ExchangeSettings(
        rowsOrAuto(SettingsProperty.EXCHANGE_REPLICATE),
        choice(SettingsProperty.EXCHANGE_JOIN, ExchangeSettings.JoinExchange.class),
        choice(SettingsProperty.EXCHANGE_RANGES, Toggle.class),
        flag(SettingsProperty.EXCHANGE_SORTED, "on", "off"),
        rowsOrAuto(SettingsProperty.EXCHANGE_SPLIT),
        rows(SettingsProperty.EXCHANGE_HOST, 0),
        choice(SettingsProperty.EXCHANGE_SORT, ExchangeSettings.SortExchange.class),
        rows(SettingsProperty.SORT_PART, 1));
  }

  private String text(SettingsProperty property) {
    String value = properties.get(property.key());
    return value == null || value.isBlank()
        ? property.usual()
        : value.strip().toLowerCase(Locale.ROOT);
  }

  private <E extends Enum<E>> E choice(SettingsProperty property, Class<E> values) {
    String value = text(property);
    for (E one : values.getEnumConstants()) {
      if (one.name().equalsIgnoreCase(value)) {
        return one;
      }
    }
    return new SettingsParser(usual(property, value), false).choice(property, values);
  }

  private boolean flag(SettingsProperty property, String yes, String no) {
    String value = text(property);
    if (value.equals(yes) || value.equals(no)) {
      return value.equals(yes);
    }
    return new SettingsParser(usual(property, value), false).flag(property, yes, no);
  }

  private long rowsOrAuto(SettingsProperty property) {
    String value = text(property);
    return value.equals("auto") ? ExchangeSettings.AUTO : number(property, value, 0);
  }

  private int rows(SettingsProperty property, int least) {
    return (int) Math.min(Integer.MAX_VALUE, number(property, text(property), least));
  }

  private long number(SettingsProperty property, String value, long least) {
    long number = -1;
    try {
      number = Long.parseLong(value);
    } catch (NumberFormatException e) {
      // as if it were too small
    }
    if (number >= least) {
      return number;
    }
    PropertyLookup none = usual(property, value);
    SettingsParser parser = new SettingsParser(none, false);
    return property.usual().equals("auto")
        ? parser.rowsOrAuto(property)
        : parser.rows(property, (int) least);
  }

  /**
   * In place of a wrong value: none.
   *
   * @throws AragoniteException INVALID_PROPERTY unless that is lenient
   */
  private PropertyLookup usual(SettingsProperty property, String value) {
    if (!lenient) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "The system property %s is '%s'; it can be one of: %s."
              .formatted(property.key(), value, property.allowed()));
    }
    return name -> null;
  }
}
