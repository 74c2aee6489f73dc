package io.aragonite.adapter.shell;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the user of a shell has chosen. */
public final class ShellSettings {
  /** How results are printed; null: as the name of the file says, else as tables. */
  public @Nullable ResultFormat format;

  /** Whether tables have the types of their columns. */
  public boolean types;

  /** Whether the time of each statement is printed. */
  public boolean timing;

  /** Whether scripts go on behind errors. */
  public boolean goOn;

  /** Whether queries are run for their plans with counts. */
  public boolean analyze;

  /** When a statement that runs shows how far it is. */
  public Duration patience = Duration.ofSeconds(1);

  /** Columns that tables keep within, 0 for no limit; null: the terminal's. */
  public @Nullable Integer width;
}
