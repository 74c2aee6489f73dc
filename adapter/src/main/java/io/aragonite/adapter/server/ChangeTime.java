package io.aragonite.adapter.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** By which a change of a file is seen. Of one that is not there all are 0. */
record ChangeTime(long millis, long bytes, Object key) {
  static ChangeTime of(Path file) {
    try {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      Object key = now.fileKey();
      return new ChangeTime(now.lastModifiedTime().toMillis(), now.size(), key == null ? "" : key);
    } catch (IOException e) {
      return new ChangeTime(0, 0, "");
    }
  }
}
