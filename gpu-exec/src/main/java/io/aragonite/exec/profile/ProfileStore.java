package io.aragonite.exec.profile;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calibrated profiles in the user's cache folder, a file for each model of a device with its
 * driver. A file that is missing, cut short, of another format or another device is as if it were
 * not there; the shipped profile then says so in its source.
 */
public final class ProfileStore {
  private static final String FORMAT = "4";
  private static final Map<String, MachineProfile> KNOWN = new ConcurrentHashMap<>();

  private ProfileStore() {}

  /**
   * The profile of a device, read at its first use in a process.
   *
   * @param model the device and its driver
   * @param shipped what to use where no calibration is
   */
  public static MachineProfile get(String model, MachineProfile shipped) {
    return KNOWN.computeIfAbsent(model, m -> load(folder(), m, shipped));
  }

  /** Where profiles are: the folder {@code profiles} of the cache. */
  public static Path folder() {
    return UserCache.folder().resolve("profiles");
  }

  /** The file of a device's profile. */
  public static Path file(Path folder, String model) {
    return folder.resolve(model.replaceAll("[^A-Za-z0-9.]+", "-") + ".properties");
  }

  /** As {@link #get}, from a folder, without remembering it. */
  public static MachineProfile load(Path folder, String model, MachineProfile shipped) {
    Path file = file(folder, model);
    if (!Files.isRegularFile(file)) {
      return shipped;
    }
    Properties text = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      text.load(in);
      return parse(text, model);
    } catch (IOException | IllegalArgumentException e) {
      return shipped.withSource(
          "%s, since %s cannot be used: %s".formatted(shipped.source(), file, e.getMessage()));
    }
  }

  private static MachineProfile parse(Properties text, String model) {
    if (!FORMAT.equals(text.getProperty("format"))) {
      throw new IllegalArgumentException("it is of another format");
    }
    if (!model.equals(text.getProperty("model"))) {
      throw new IllegalArgumentException("it is of " + text.getProperty("model"));
    }
    RecordComponent[] parts = MachineProfile.class.getRecordComponents();
    double[] figures = new double[parts.length - 1];
    for (int i = 0; i < figures.length; i++) {
      String name = parts[i + 1].getName();
      String value = text.getProperty(name);
      if (value == null) {
        throw new IllegalArgumentException("it has no " + name);
      }
      figures[i] = Double.parseDouble(value);
      if (!(figures[i] >= 0)) {
        throw new IllegalArgumentException("%s is %s".formatted(name, value));
      }
    }
    return MachineProfile.of("calibrated: " + text.getProperty("measured", model), figures);
  }

  /**
   * Keeps a profile.
   *
   * @param measured when
   * @param more what else was measured, for people
   * @return the file
   * @throws IOException if it cannot be written
   */
  public static Path save(
      Path folder, String model, String measured, MachineProfile profile, Map<String, Double> more)
      throws IOException {
    Files.createDirectories(folder);
    Path file = file(folder, model);
    Properties text = new Properties();
    text.setProperty("format", FORMAT);
    text.setProperty("model", model);
    text.setProperty("measured", measured);
    RecordComponent[] parts = MachineProfile.class.getRecordComponents();
    double[] figures = profile.figures();
    for (int i = 0; i < figures.length; i++) {
      text.setProperty(parts[i + 1].getName(), Double.toString(figures[i]));
    }
    more.forEach((name, value) -> text.setProperty(name, Double.toString(value)));
    Path partial = Files.createTempFile(folder, "profile", ".part");
    try (Writer out = Files.newBufferedWriter(partial)) {
      text.store(out, "aragonite calibrate; nanoseconds of the whole device, and bytes");
    }
    Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    KNOWN.remove(model);
    return file;
  }

  /** Names of the figures, in order. */
  public static String[] names() {
    return Arrays.stream(MachineProfile.class.getRecordComponents())
        .skip(1)
        .map(RecordComponent::getName)
        .toArray(String[]::new);
  }
}
