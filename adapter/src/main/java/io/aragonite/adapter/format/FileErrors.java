package io.aragonite.adapter.format;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;

/** What errors of the file system mean; the messages of many are a path and nothing else. */
public final class FileErrors {
  private FileErrors() {}

  /** Why a file could not be read or written, as the end of a sentence. */
  public static String reason(IOException error) {
    return switch (error) {
      case NoSuchFileException e -> "there is no such file";
      case AccessDeniedException e -> "its permissions do not allow it";
      case FileSystemLoopException e -> "its links lead in a circle";
      case FileSystemException e when e.getReason() != null -> String.valueOf(e.getReason());
      case CharacterCodingException e -> "it is not UTF-8 text";
      default -> error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    };
  }
}
