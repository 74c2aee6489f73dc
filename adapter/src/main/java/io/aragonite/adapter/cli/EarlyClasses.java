package io.aragonite.adapter.cli;

import io.aragonite.exec.memory.NativeAccess;
import java.math.BigDecimal;
import java.text.DecimalFormatSymbols;
import java.util.Arrays;
import java.util.Objects;
import java.util.TimeZone;
import java.util.UUID;

/**
 * Initializes classes of the JDK that each statement needs, beside the main thread, which reads the
 * command line meanwhile: a sixth of the way to a small answer. It leaves nearly all of ours and
 * Calcite's alone, whose initializers need each other, so that two threads could wait for each
 * other in them.
 */
final class EarlyClasses {
  private EarlyClasses() {}

  /**
   * @param arguments of the command line; only who names a folder is expected to need large pieces
   *     of memory
   */
  static void begin(String[] arguments) {
    boolean files = Arrays.stream(arguments).anyMatch(argument -> argument.contains("directory"));
    Thread.ofPlatform().daemon().name("aragonite-early").start(() -> initialize(files));
  }

  private static void initialize(boolean files) {
    // powers of ten, random numbers, the tables of time zones, digits
    int unused =
        Objects.hash(
            BigDecimal.TEN,
            UUID.randomUUID(),
            TimeZone.getDefault(),
            DecimalFormatSymbols.getInstance());
    if (files) {
      NativeAccess.prepare(); // needs no other class of ours
    }
  }
}
