package io.aragonite.adapter.format;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stored table of some format: what {@link io.aragonite.adapter.table.ColumnLoader} loads from.
 * Opening one reads only what is needed to know its columns. Safe for several threads.
 */
public interface TableFile extends AutoCloseable {
  List<FileColumn> columns();

  /** The primary key's columns, empty if none is declared. */
  default List<String> primaryKey() {
    return List.of();
  }

  default List<ForeignKeyHint> foreignKeys() {
    return List.of();
  }

  /**
   * Pieces of the table in the order of their rows, which can be decoded beside each other.
   *
   * @throws AragoniteException FILE_BROKEN, naming the file
   */
  List<FilePart> parts();

  /** Whether {@link #rows} has to open files, which of stores take their time. */
  default boolean opensForRows() {
    return false;
  }

  /** Rows of all parts. */
  default long rows() {
    return parts().stream().mapToLong(FilePart::rows).sum();
  }

  /** A run of rows. */
  interface FilePart {
    int rows();

    /**
     * Decodes a column of this part into the column's {@link FileColumn#type} with the widest
     * storage of that type (text as BYTES, decimals of more than 18 digits as LONG128), or values
     * of varying length into numbers of a dictionary where the file has them so.
     *
     * @param temporary where decoded values may be put; its owner frees them. Data that lies in the
     *     file as it is wanted may be returned in place
     * @throws AragoniteException FILE_BROKEN, CSV_VALUE and others of the 3xx range
     */
    Decoded read(int column, QueryMemory temporary);

    /**
     * The same, with a place for the values, which may be used or not: those of one width, or texts
     * one behind the other.
     *
     * @param target room for the values of all rows in {@code storage}, or for as many bytes of
     *     texts as {@link #textBytes} says; 0: none
     * @param storage that of the column's type, or one of integers in fewer bytes, which the part
     *     may use as well, if it holds all values
     */
    default Decoded read(int column, QueryMemory temporary, long target, Storage storage) {
      return read(column, temporary);
    }

    /** What the file says of a column's values in this part, or in rows that have it in them. */
    default ZoneMap zone(int column) {
      return ZoneMap.unknown(rows());
    }

    /** The same of the runs of rows that this part is, one behind the other. */
    default List<ZoneMap> zones(int column) {
      return List.of(zone(column));
    }

    /**
     * Whether a value of a column may be in this part, by more than its bounds.
     *
     * @param value in the form of literals of the column's type, not null
     */
    default boolean mayHave(int column, Object value) {
      return true;
    }

    /**
     * Some rows of this part; null if they cannot be had for less than all. They can where {@link
     * #zones} tells more than {@link #zone}.
     */
    default @Nullable FilePart rows(int from, int to) {
      return null;
    }

    /** Says that columns of this part will be read soon: what is far away is on its way then. */
    default void prefetch(List<Integer> columns) {}

    /**
     * How much room texts are to have where they are decoded, with some bytes behind them; -1: the
     * part uses no such room.
     */
    default long textBytes(int column) {
      return -1;
    }

    /** Bytes of the file that a column of this part is, about; -1 if that is not known. */
    default long fileBytes(int column) {
      return -1;
    }
  }

  /** A column as the file has it, for a device that decodes it. */
  default Decodable<PagedColumn> encoded(int column) {
    return Decodable.byHost("");
  }

  /** Whether {@link FilePart#read} puts all it returns into the memory that it is given. */
  default boolean copies() {
    return false;
  }

  /**
   * A decoded column, without indirection, and what keeps its memory.
   *
   * @param column with a dictionary: the unsigned numbers of the rows' values, in BYTE, SHORT or
   *     INT storage, each below the dictionary's count, or 0 where a row is null
   * @param dictionary the values of rows that are numbers; null: the column has its values
   */
  record Decoded(Column column, @Nullable PartDictionary dictionary, AutoCloseable owner)
      implements AutoCloseable {
    public Decoded(Column column, AutoCloseable owner) {
      this(column, null, owner);
    }

    @Override
    public void close() {
      try {
        owner.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /**
   * Whether times of a column that were read had digits behind the milliseconds, which are cut off.
   */
  default boolean cutsTimes(int column) {
    return false;
  }

  /** What whoever reads values should know of those that have been read; null: nothing. */
  default @Nullable String notice() {
    return null;
  }

  /**
   * Gives up copies of bytes that can be fetched again, which nobody may read meanwhile.
   *
   * @return bytes of the disk that this gives back
   */
  default long giveUpCopies() {
    return 0;
  }

  /** A part is not needed in physical memory for now, where the file is mapped. */
  default void forget(int part) {}

  @Override
  void close();
}
