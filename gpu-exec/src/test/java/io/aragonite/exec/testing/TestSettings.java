package io.aragonite.exec.testing;

import io.aragonite.exec.settings.DefaultDevice;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.SettingsProperty;
import io.aragonite.exec.settings.SettingsSource;
import io.aragonite.exec.settings.SizeSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a JVM that runs tests: the product's system properties, and those that begin with
 * {@code aragonite.test}, all as they are now, so that a test may change them at any time.
 */
public final class TestSettings implements SettingsSource {
  private static final String BATCH_ROWS = "aragonite.test.batchRows";
  private static final String DEVICE = "aragonite.test.device";
  private static final String DEVICES = "aragonite.test.devices";
  private static final String FLUSH_GROUPS = "aragonite.test.flushGroups";
  private static final String GROUP_ROWS = "aragonite.test.groupRows";
  private static final String HASH_ZERO = "aragonite.test.hashZero";
  private static final String ROW_GROUP_ROWS = "aragonite.test.rowGroupRows";
  private static final String SCAN_ROOM = "aragonite.test.scanRoom";
  private static final String SPILL_ROOM = "aragonite.test.spillRoom";

  private static final List<String> NAMES = names();

  /**
   * What properties said.
   *
   * @param values of {@link #NAMES}
   */
  private record Known(@Nullable String[] values, EngineSettings settings) {}

  private volatile @Nullable Known known;

  private static List<String> names() {
    List<String> names =
        new ArrayList<>(
            List.of(
                BATCH_ROWS,
                DEVICE,
                DEVICES,
                FLUSH_GROUPS,
                GROUP_ROWS,
                HASH_ZERO,
                ROW_GROUP_ROWS,
                SCAN_ROOM,
                SPILL_ROOM));
    for (SettingsProperty property : SettingsProperty.values()) {
      names.add(property.key());
    }
    return names;
  }

  /** Benchmarks run with this as well, so that it parses only what has changed. */
  @Override
  @SuppressWarnings({"ReferenceEquality", "StringEquality"})
  public EngineSettings settings() {
    Known before = known;
    boolean same = before != null;
    @Nullable String[] values = new String[NAMES.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = System.getProperty(NAMES.get(i));
      same &= before != null && values[i] == before.values[i];
    }
    if (before != null && same) {
      return before.settings;
    }
    EngineSettings settings = parse();
    known = new Known(values, settings);
    return settings;
  }

  private static EngineSettings parse() {
    EngineSettings usual = EngineSettings.parse(System::getProperty);
    return new EngineSettings(
        usual.diagnostics(),
        usual.grouping(),
        usual.joins(),
        usual.exchange(),
        sizes(usual.sizes()),
        usual.planning(),
        usual.keepStatistics(),
        usual.keepKernels(),
        usual.decodesOnDevice(),
        usual.narrowsColumns(),
        usual.interpretsExpressions(),
        new DefaultDevice(System.getProperty(DEVICE, ""), Integer.getInteger(DEVICES, 1)),
        Boolean.getBoolean(HASH_ZERO));
  }

  private static SizeSettings sizes(SizeSettings usual) {
    return new SizeSettings(
        Integer.getInteger(BATCH_ROWS, usual.batchRows()),
        Integer.getInteger(FLUSH_GROUPS, usual.partialGroups()),
        Integer.getInteger(GROUP_ROWS, usual.sampledRows()),
        usual.packedRows(),
        Long.getLong(SPILL_ROOM, usual.spillBytes()),
        Long.getLong(SCAN_ROOM, usual.streamedBytes()),
        Integer.getInteger(ROW_GROUP_ROWS, usual.rowGroupRows()));
  }
}
