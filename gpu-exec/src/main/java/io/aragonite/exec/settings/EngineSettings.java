package io.aragonite.exec.settings;

import io.aragonite.exec.error.AragoniteException;
import java.util.ServiceLoader;

/**
 * All that can be set about the engine beside what a connection says. {@link SettingsProperty}
 * lists the system properties; the other components are for programs that are a {@link
 * SettingsSource}.
 *
 * @param diagnostics checks and traces of the process
 * @param grouping how rows are grouped
 * @param joins what joins choose
 * @param exchange how several devices share a query
 * @param sizes from which on operators work otherwise
 * @param planning what planning a statement may take
 * @param keepStatistics whether statistics of tables in files are kept for later processes
 * @param keepKernels whether code of expressions is kept for later processes: kernels, classes
 * @param decodesOnDevice which pages of files a device with memory of its own decodes itself
 * @param narrowsColumns whether a device with memory of its own keeps integers of tables as narrow
 *     as their bounds allow
 * @param interpretsExpressions whether GPUs interpret expressions that have no machine code yet
 * @param defaultDevice what {@code device=auto} means
 * @param constantHash all hashes of keys are 0: each lookup meets collisions
 */
public record EngineSettings(
    DiagnosticSettings diagnostics,
    GroupingMethod grouping,
    JoinSettings joins,
    ExchangeSettings exchange,
    SizeSettings sizes,
    PlanningSettings planning,
    boolean keepStatistics,
    boolean keepKernels,
    Toggle decodesOnDevice,
    boolean narrowsColumns,
    Toggle interpretsExpressions,
    DefaultDevice defaultDevice,
    boolean constantHash) {
  /** How rows are grouped. */
  public enum GroupingMethod {
    /** By price. */
    AUTO,
    /** By a hash table. */
    TABLE,
    /** By sorting. */
    SORT,
    /** As they come; what does not come in order is sorted. */
    ORDER,
    /** By a table that the key addresses, on a device that has it, else by a hash table. */
    DIRECT
  }

  /** Found when it is first asked for. */
  private static final class Source {
    static final SettingsSource FOUND =
        ServiceLoader.load(SettingsSource.class, EngineSettings.class.getClassLoader())
            .findFirst()
            .orElseGet(SystemSettings::new);
  }

  /** EngineSettings when nothing is set. */
  public static EngineSettings defaults() {
    return parse(name -> null);
  }

  /** The settings of this process now. */
  public static EngineSettings current() {
    return Source.FOUND.settings();
  }

  /**
   * Has the source look again, since an engine is opened or a query starts.
   *
   * @throws AragoniteException INVALID_PROPERTY, which names the property, if a value is wrong
   */
  public static void refresh() {
    Source.FOUND.refresh();
  }

  /**
   * Those that count as they are when the process starts. A wrong value counts as none here, since
   * {@link #refresh} tells of it where an error has somebody to go to.
   */
  public static DiagnosticSettings atStart() {
    return new SettingsParser(System::getProperty, true).diagnostics();
  }

  /**
   * @param properties values by names, null for none
   * @throws AragoniteException INVALID_PROPERTY, which names the property, if a value is wrong
   */
  public static EngineSettings parse(PropertyLookup properties) {
    return new SettingsParser(properties, false).settings();
  }
}
