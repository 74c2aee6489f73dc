package io.aragonite.exec.spill.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which folders of other processes are removed, whatever the clock says. */
class SpillFolderTest {
  private static final String NEW = ".aragonite-spill-new-";

  @TempDir private Path parent = Path.of("");

  private Path make(String name, Duration ago) throws IOException {
    Path folder = Files.createDirectory(parent.resolve(name));
    Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(ago)));
    return folder;
  }

  private void check(Path folder, boolean stays) {
    SpillFolder.clear(parent);
    assertEquals(stays, Files.exists(folder), folder::toString);
  }

  @Test
  void whatIsBeingMadeStaysWhenTheClockJumps() throws IOException {
    long living = ProcessHandle.current().parent().orElseThrow().pid();
    check(make(NEW + living + "-1", Duration.ofHours(2)), true);
    check(make(NEW + living + "-2", Duration.ofHours(-2)), true);
    check(make("aragonite-spill-" + living + "-3", Duration.ofDays(2)), true);
  }

  @Test
  void whatWasLeftGoes() throws Exception {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    long dead = process.pid();
    check(make(NEW + dead + "-1", Duration.ZERO), true);
    check(make(NEW + dead + "-2", Duration.ofHours(2)), false);
    check(make(NEW + dead + "-3", Duration.ofHours(-2)), false);
    check(make("aragonite-spill-" + dead + "-4", Duration.ofHours(-2)), false);
    // Made by a version whose names have no number.
    check(make(NEW + "8315", Duration.ofHours(2)), false);
  }

  /** The own folder is locked under its name from the beginning. */
  @Test
  void ownFolderStays() throws IOException {
    SpillFolder folder = SpillFolder.open(parent);
    try {
      Path own = folder.newFile().getParent();
      assertTrue(
          own.getFileName()
              .toString()
              .startsWith("aragonite-spill-" + ProcessHandle.current().pid() + "-"));
      Files.setLastModifiedTime(own, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
      check(own, true);
    } finally {
      folder.close();
    }
    try (Stream<Path> left = Files.list(parent)) {
      assertEquals(List.of(), left.toList());
    }
  }
}
