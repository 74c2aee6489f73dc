package io.aragonite.adapter.format;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import java.util.List;

/** A column of several files, one behind the other, that have it in the same form. */
public final class JoinedPages implements PagedColumn {
  private final List<PagedColumn> files;

  /** The first chunk of each file; one more for the end. */
  private final int[] firsts;

  private JoinedPages(List<PagedColumn> files) {
    this.files = files;
    this.firsts = new int[files.size() + 1];
    for (int i = 0; i < files.size(); i++) {
      firsts[i + 1] = firsts[i] + files.get(i).chunks();
    }
  }

  /**
   * Joins the files.
   *
   * @param files one at least
   * @return without a value if their forms differ
   */
  public static Decodable<PagedColumn> of(List<PagedColumn> files) {
    PagedColumn first = files.getFirst();
    boolean same =
        files.stream()
            .allMatch(file ->
                file.form() == first.form()
                    && file.width() == first.width()
                    && file.optional() == first.optional()
                    && file.texts() == first.texts());
    return same
        ? Decodable.of(new JoinedPages(files))
        : Decodable.byHost("files that have it in different forms");
  }

  @Override
  public PageForm form() {
    return files.getFirst().form();
  }

  @Override
  public int width() {
    return files.getFirst().width();
  }

  @Override
  public boolean optional() {
    return files.getFirst().optional();
  }

  @Override
  public boolean compressed() {
    return files.stream().anyMatch(PagedColumn::compressed);
  }

  @Override
  public boolean texts() {
    return files.getFirst().texts();
  }

  @Override
  public long rows() {
    return files.stream().mapToLong(PagedColumn::rows).sum();
  }

  @Override
  public int chunks() {
    return firsts[files.size()];
  }

  private int file(int chunk) {
    int file = 0;
    while (firsts[file + 1] <= chunk) {
      file++;
    }
    return file;
  }

  @Override
  public long bytes(int chunk) {
    int file = file(chunk);
    return files.get(file).bytes(chunk - firsts[file]);
  }

  @Override
  public long size(int chunk) {
    int file = file(chunk);
    return files.get(file).size(chunk - firsts[file]);
  }

  @Override
  public Decodable<EncodedChunk> chunk(int number, QueryMemory memory) {
    int file = file(number);
    return files.get(file).chunk(number - firsts[file], memory);
  }

  @Override
  public Decodable<PartDictionary> words(int chunk, int most, QueryMemory memory) {
    int file = file(chunk);
    return files.get(file).words(chunk - firsts[file], most, memory);
  }

  @Override
  public AragoniteException broken(int chunk, int page, MalformedPageException found) {
    int file = file(chunk);
    return files.get(file).broken(chunk - firsts[file], page, found);
  }
}
