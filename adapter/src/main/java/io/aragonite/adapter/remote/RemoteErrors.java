package io.aragonite.adapter.remote;

import io.aragonite.adapter.remote.RemoteException.Problem;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Makes errors of the catalogue of what stores answer. */
public final class RemoteErrors {
  private RemoteErrors() {}

  /** Why a remote file, or those that a pattern stands for, cannot be read. */
  public static AragoniteException of(Path path, IOException error) {
    if (error instanceof NoSuchFileException) {
      return new AragoniteException(
          ErrorCode.FILE_UNREADABLE,
          "There is no file %s, or the URL's credentials do not show it.".formatted(path),
          error);
    }
    if (error instanceof RemoteException e && e.problem() == Problem.CHANGED) {
      return new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "%s has changed while it was read; run the statement again, on a new connection if it is a table of directory="
              .formatted(path),
          error);
    }
    return failed(path, "read", error);
  }

  /** Why a remote file cannot be written. */
  public static AragoniteException ofWriting(Path path, IOException error) {
    return failed(path, "written", error);
  }

  private static AragoniteException failed(Path path, String what, IOException error) {
    return new AragoniteException(
        ErrorCode.REMOTE_FAILED,
        "%s cannot be %s: %s.".formatted(path, what, AragoniteException.reason(error)),
        error);
  }
}
