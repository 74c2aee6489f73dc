package io.aragonite.exec.settings;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The system properties that set something; the reference is made of this. */
public enum SettingsProperty {
  JIT_INLINE(
      "jit.inline",
      DiagnosticSettings.Inlining.class,
      "auto",
      "How the JVM's compiler learns which small methods to inline: by directives at run time, or"
          + " `flags` if the command line has them, or not at all."),
  MEMORY_DEBUG(
      "memory.debug",
      "true, false",
      "false",
      "Fills and checks all buffers, and remembers where memory was taken. Slow. Read when the"
          + " process starts."),
  MEMORY_SLACK(
      "memory.slack",
      "true, false",
      "false",
      "GPUs set bytes that kernels read and do not use, for compute-sanitizer. Read when the"
          + " process starts."),
  CUDA_TRACE(
      "cuda.trace",
      "true, false",
      "false",
      "Prints launches, copies and waits of each query to the standard error stream. Read when the"
          + " process starts."),
  GROUP("group", EngineSettings.GroupingMethod.class, "auto", "How rows are grouped."),
  JOIN_FILTER(
      "join.filter",
      Toggle.class,
      "auto",
      "Whether keys of a join's build side filter its probe side early."),
  JOIN_TRANSFER(
      "join.transfer",
      Toggle.class,
      "auto",
      "Whether the keys of relations filter those that they are joined with before the joins"
          + " (predicate transfer)."),
  JOIN_PARTS(
      "join.parts",
      Toggle.class,
      "auto",
      "Whether the partitions of a join have hash tables of their own."),
  SPILL_PARTS(
      "spill.parts",
      JoinSettings.SpilledJoinMethod.class,
      "auto",
      "How the parts of a spilled join are joined."),
  SPILL_PACKED_ROWS(
      "spill.packedRows",
      "a number of rows",
      Integer.toString(SizeSettings.PACKED_ROWS),
      "Rows of a spilled part from which keys are packed."),
  EXCHANGE_REPLICATE(
      "exchange.replicate",
      "auto, a number of rows",
      "auto",
      "Tables up to so many rows are read whole by each of several devices."),
  EXCHANGE_JOIN(
      "exchange.join",
      ExchangeSettings.JoinExchange.class,
      "auto",
      "How joins over several devices bring their sides together."),
  EXCHANGE_RANGES(
      "exchange.ranges", Toggle.class, "auto", "Whether dense keys go to devices by their ranges."),
  EXCHANGE_SORTED(
      "exchange.sorted",
      "on, off",
      "on",
      "Whether tables in order of their key are dealt out to devices by its ranges."),
  EXCHANGE_SPLIT(
      "exchange.split",
      "auto, a number of rows",
      "auto",
      "Rows from which a build side is partitioned and sent in two halves."),
  EXCHANGE_HOST(
      "exchange.host",
      "a number of rows",
      "1024",
      "Plans end on the host if the last exchange brings so many rows of a device, or fewer; 0:"
          + " never."),
  EXCHANGE_SORT(
      "exchange.sort",
      ExchangeSettings.SortExchange.class,
      "auto",
      "How several devices sort tables in host memory."),
  SORT_PART(
      "sort.part",
      "a number of rows",
      Integer.toString(1 << 23),
      "Rows of a part of a device that sorts in parts."),
  PLANNING_MILLIS(
      "planning.millis",
      "a number of milliseconds",
      Integer.toString(PlanningSettings.MILLIS),
      "What a thread may work on the plan of a statement before it leaves out what only makes the"
          + " plan better."),
  PLANNING_FIRINGS(
      "planning.firings",
      "a number of rule firings",
      Integer.toString(PlanningSettings.FIRINGS),
      "The same by the number of planner rules that have fired."),
  STATISTICS(
      "statistics",
      "on, off",
      "on",
      "Whether statistics of tables in files are kept in the user's cache for later processes."),
  KERNELS(
      "kernels",
      "on, off",
      "on",
      "Whether code of expressions (a GPU's kernels, the CPU's classes) is kept in the user's cache"
          + " for later processes."),
  PAGES(
      "pages",
      Toggle.class,
      "auto",
      "Whether a GPU decodes pages of Parquet files itself, where the host has not decoded them"
          + " before: where that is quicker, wherever it can or never."),
  COLUMNS_NARROW(
      "columns.narrow",
      "on, off",
      "on",
      "Whether a GPU keeps integers and codes of tables as narrow as their bounds allow."),
  EXPRESSIONS_INTERPRET(
      "expressions.interpret",
      Toggle.class,
      "auto",
      "Whether a GPU interprets an expression's kernel: while it is being assembled, if that is"
          + " quicker, always or never.");

  private final String key;
  private final String values;
  private final String usual;
  private final String text;

  SettingsProperty(String key, String values, String usual, String text) {
    this.key = "aragonite." + key;
    this.values = values;
    this.usual = usual;
    this.text = text;
  }

  SettingsProperty(String key, Class<? extends Enum<?>> values, String usual, String text) {
    this(
        key,
        Arrays.stream(values.getEnumConstants())
            .map(value -> value.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", ")),
        usual,
        text);
  }

  /** The name of the system property. */
  public String key() {
    return key;
  }

  /** What it may be, for people. */
  public String allowed() {
    return values;
  }

  /** Its value when it is not set. */
  public String usual() {
    return usual;
  }

  /** What it does, in Markdown. */
  public String text() {
    return text;
  }
}
