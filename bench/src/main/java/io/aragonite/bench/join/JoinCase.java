package io.aragonite.bench.join;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * One configuration of the join benchmark, with what others needed for it.
 *
 * @param name names it on the command line
 * @param buildRows rows of R, which is built
 * @param probeRows rows of S
 * @param keyBytes 4 or 8
 * @param buildPayload bytes of R's payload columns: 4 or 8 each
 * @param probePayload the same of S
 * @param matchOneIn one row of S in so many has a partner
 * @param zipf exponent of the distribution of S's keys; 0: uniform
 * @param buildZipf exponent of the distribution of R's keys, of which each is there once and the
 *     rest of the rows follows the law, most rows with the same keys as on S's side; 0: uniform
 * @param keys what keys look like
 * @param copies rows of R that have the same key, on average
 * @param joins how many joins follow each other; of a sequence, R is one of as many tables, and S
 *     has a foreign key into each
 * @param peers milliseconds of PHJ-UM, PHJ-OM, SMJ-OM, SMJ-UM and NPHJ with these very rows; empty
 *     if there are none
 */
public record JoinCase(
    String name,
    int buildRows,
    int probeRows,
    int keyBytes,
    List<Integer> buildPayload,
    List<Integer> probePayload,
    int matchOneIn,
    double zipf,
    double buildZipf,
    KeyPattern keys,
    int copies,
    int joins,
    List<Double> peers) {
  /** The names of the peers, in the order of {@link #peers}. */
  public static final List<String> PEERS = List.of("PHJ-UM", "PHJ-OM", "SMJ-OM", "SMJ-UM", "NPHJ");

  /** The size that the peers' table is about: 2^27 rows. */
  public static final int FULL = 27;

  private static final String SEQUENCE = "sequence-";
  private static final String RESOURCE = "join-peers.csv";

  /** What keys look like. */
  public enum KeyPattern {
    /** 0 to n - 1. */
    DENSE,
    /** Anywhere. */
    SPARSE,
    /** Runs of 64 neighbours with gaps. */
    CLUSTERED,
    /** -1 to -n. */
    NEGATIVE,
    /**
     * As DENSE, and rows of S without a partner have keys beyond R's, as in the data that the peers
     * were measured with. Of all others R's keys are replaced (Wu24, 5.2.3), so that misses lie
     * among them.
     */
    BEYOND
  }

  /**
   * The configurations of the peers' table and those of our own.
   *
   * @param log2 2^27 rows of that table become 2^log2, and the other sizes in proportion
   */
  public static List<JoinCase> all(int log2) {
    List<JoinCase> cases = new ArrayList<>();
    try (InputStream in =
            Objects.requireNonNull(JoinCase.class.getResourceAsStream(RESOURCE), RESOURCE);
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.startsWith("#") && !line.startsWith("name,")) {
          cases.add(of(line.split(","), log2));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cases;
  }

  private static JoinCase of(String[] cells, int log2) {
    String[] keys = cells[8].split("\\*");
    List<Double> peers = new ArrayList<>();
    for (int i = 9; i < cells.length && log2 == FULL; i++) {
      if (!cells[i].equals("-")) {
        peers.add(Double.parseDouble(cells[i]));
      }
    }
    int copies = keys.length == 1 ? 1 : Integer.parseInt(keys[1]);
    copies = Math.min(copies, rows(cells[1], log2));
    String[] widths = cells[4].split("\\+");
    boolean listed = widths.length > 1;
    List<Integer> payload =
        listed
            ? widths(widths[0])
            : Collections.nCopies(Integer.parseInt(cells[4]), Integer.parseInt(cells[5]));
    int joins = cells[0].startsWith(SEQUENCE) ? payload.size() : 1;
    return new JoinCase(
        cells[0],
        rows(cells[1], log2) / copies * copies,
        rows(cells[2], log2),
        Integer.parseInt(cells[3]),
        payload,
        listed ? widths(widths[1]) : payload,
        Integer.parseInt(cells[6]),
        cells[7].endsWith("r") ? 0 : exponent(cells[7]),
        cells[7].matches(".*[rb]") ? exponent(cells[7]) : 0,
        KeyPattern.valueOf(keys[0].toUpperCase(Locale.ROOT)),
        copies,
        joins,
        List.copyOf(peers));
  }

  /** 1.5 of S, 1.5r of R, 1.5b of both. */
  private static double exponent(String cell) {
    return Double.parseDouble(cell.replaceAll("[rb]$", ""));
  }

  /** 4.8 are two columns, of 4 and of 8 bytes. */
  private static List<Integer> widths(String cell) {
    return Arrays.stream(cell.split("\\.")).map(Integer::parseInt).toList();
  }

  /** A power of two, or millions of rows: 18.2M. */
  private static int rows(String cell, int log2) {
    if (cell.endsWith("M")) {
      double rows = 1e6 * Double.parseDouble(cell.substring(0, cell.length() - 1));
      return (int) Math.clamp(rows * Math.pow(2, log2 - FULL), 48, 1 << 29);
    }
    return 1 << Math.clamp((long) Integer.parseInt(cell) + log2 - FULL, 4, 29);
  }

  /** The same of tables with other numbers of rows. */
  JoinCase of(JoinTables tables) {
    return new JoinCase(
        name,
        tables.buildRows(),
        tables.probeRows(),
        keyBytes,
        buildPayload,
        probePayload,
        1,
        0,
        0,
        keys,
        (int) Math.max(1, Math.round((double) tables.pairs() / Math.max(1, tables.probeRows()))),
        1,
        peers);
  }

  /** Whether it is a sequence of joins, of one join perhaps. */
  boolean sequence() {
    return name.startsWith(SEQUENCE);
  }

  /** Different keys of R. */
  int distinct() {
    return buildRows / copies;
  }

  /** What it must read and write at least: both inputs once, the output once. */
  public double floorBytes() {
    double build = sum(buildPayload);
    double probe = sum(probePayload);
    if (sequence()) {
      // All tables, the foreign keys, and of the output row ids and a column of each table.
      return joins * ((keyBytes + 4.0) * buildRows + (double) keyBytes * probeRows)
          + (4 + build) * probeRows;
    }
    double pairs = (double) probeRows / matchOneIn * copies;
    return (keyBytes + build) * buildRows
        + (keyBytes + probe) * probeRows
        + (keyBytes + build + probe) * pairs;
  }

  private static double sum(List<Integer> widths) {
    return widths.stream().mapToInt(Integer::intValue).sum();
  }
}
