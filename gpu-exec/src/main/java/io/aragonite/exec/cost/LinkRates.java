package io.aragonite.exec.cost;

import io.aragonite.exec.profile.ProfileStore;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How quickly devices copy from each other, and which of them are best together: where links are
 * uneven few devices can be quicker than many (Maltenberger 2024, section 4.4). Measured by {@code
 * calibrate} and kept beside the profiles, for the devices of a machine by name and model.
 *
 * @param source where the figures come from, for people
 * @param rates bytes a nanosecond to a device from another, by place in the list of devices; what
 *     goes through the host's memory as well. Empty: nobody has measured
 */
public record LinkRates(String source, double[][] rates) {
  private static final String FORMAT = "links 1";

  /** Of the slowest link's rate, what a device gets while all copy from all. */
  private static final double TOGETHER = 0.85;

  /** Links that differ by less are alike: all devices together are best. */
  private static final double ALIKE = 0.8;

  private static final Map<List<String>, LinkRates> KNOWN = new ConcurrentHashMap<>();

  /** What was measured for these devices, read at the first use in a process. */
  public static LinkRates get(List<String> devices) {
    return KNOWN.computeIfAbsent(devices, names -> load(ProfileStore.folder(), names));
  }

  /** Of devices that nobody has measured: NVLink between H200s. */
  static LinkRates shipped(int devices) {
    return new LinkRates("shipped: NVLink of H200s; calibrate measures it", new double[devices][0]);
  }

  private static Path file(Path folder, List<String> devices) {
    return ProfileStore.file(folder, "links " + String.join(" ", devices));
  }

  static LinkRates load(Path folder, List<String> devices) {
    Path file = file(folder, devices);
    LinkRates shipped = shipped(devices.size());
    if (!Files.isRegularFile(file)) {
      return shipped;
    }
    Properties text = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      text.load(in);
      if (!FORMAT.equals(text.getProperty("format"))
          || !String.join(", ", devices).equals(text.getProperty("devices"))) {
        throw new IllegalArgumentException("it is of another format, or of other devices");
      }
      double[][] rates = new double[devices.size()][devices.size()];
      for (int to = 0; to < rates.length; to++) {
        for (int from = 0; from < rates.length; from++) {
          if (to != from) {
            rates[to][from] = rate(text, "%d.from.%d".formatted(to, from));
          }
        }
      }
      return new LinkRates("calibrated: " + text.getProperty("measured", ""), rates);
    } catch (IOException | IllegalArgumentException e) {
      return new LinkRates(
          "%s, since %s cannot be used: %s".formatted(shipped.source, file, e.getMessage()),
          shipped.rates);
    }
  }

  private static double rate(Properties text, String name) {
    String value = text.getProperty(name);
    double rate = value == null ? 0 : Double.parseDouble(value);
    if (!(rate > 0) || Double.isInfinite(rate)) {
      throw new IllegalArgumentException("%s is %s".formatted(name, value));
    }
    return rate;
  }

  /**
   * Keeps rates.
   *
   * @param measured when
   * @return the file
   * @throws IOException if it cannot be written
   */
  public static Path save(Path folder, List<String> devices, String measured, double[][] rates)
      throws IOException {
    Files.createDirectories(folder);
    Path file = file(folder, devices);
    Properties text = new Properties();
    text.setProperty("format", FORMAT);
    text.setProperty("devices", String.join(", ", devices));
    text.setProperty("measured", measured);
    for (int to = 0; to < rates.length; to++) {
      for (int from = 0; from < rates.length; from++) {
        if (to != from) {
          text.setProperty("%d.from.%d".formatted(to, from), Double.toString(rates[to][from]));
        }
      }
    }
    Path partial = Files.createTempFile(folder, "links", ".part");
    try (Writer out = Files.newBufferedWriter(partial)) {
      text.store(out, "aragonite calibrate; bytes a nanosecond to a device from another");
    }
    Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    KNOWN.remove(devices);
    return file;
  }

  private boolean measured() {
    return rates.length > 0 && rates[0].length > 0;
  }

  /** What a device of a set receives from the others, bytes a nanosecond, while all exchange. */
  public double together(List<Integer> set) {
    return measured() ? TOGETHER * slowest(set) : ExchangeModel.NVLINK;
  }

  private double slowest(List<Integer> set) {
    double slowest = Double.POSITIVE_INFINITY;
    for (int to : set) {
      for (int from : set) {
        slowest = to == from ? slowest : Math.min(slowest, rates[to][from]);
      }
    }
    return slowest;
  }

  /**
   * The sets of devices, by place in the list, that can be best for a query: all of them, and,
   * where links are uneven, of each smaller size from two on the one whose slowest link is the
   * quickest, as far as adding one device after the other finds it.
   *
   * @param devices how many there are; two at least
   */
  public List<List<Integer>> sets(int devices) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < devices; i++) {
      all.add(i);
    }
    List<List<Integer>> sets = new ArrayList<>(List.of(all));
    if (!measured() || slowest(all) >= ALIKE * quickest()) {
      return sets;
    }
    List<Integer> best = List.of();
    for (int size = 2; size < devices; size++) {
      List<Integer> next = List.of();
      List<List<Integer>> candidates = size == 2 ? pairs(devices) : extended(best, devices);
      for (List<Integer> candidate : candidates) {
        if (next.isEmpty() || slowest(candidate) > slowest(next)) {
          next = candidate;
        }
      }
      best = next;
      sets.add(best);
    }
    return sets;
  }

  private double quickest() {
    return Arrays.stream(rates).flatMapToDouble(Arrays::stream).max().orElse(0);
  }

  private static List<List<Integer>> pairs(int devices) {
    List<List<Integer>> pairs = new ArrayList<>();
    for (int i = 0; i < devices; i++) {
      for (int j = i + 1; j < devices; j++) {
        pairs.add(List.of(i, j));
      }
    }
    return pairs;
  }

  private static List<List<Integer>> extended(List<Integer> set, int devices) {
    List<List<Integer>> sets = new ArrayList<>();
    for (int i = 0; i < devices; i++) {
      if (!set.contains(i)) {
        List<Integer> larger = new ArrayList<>(set);
        larger.add(i);
        larger.sort(null);
        sets.add(larger);
      }
    }
    return sets;
  }
}
