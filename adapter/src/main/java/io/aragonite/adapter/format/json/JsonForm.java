package io.aragonite.adapter.format.json;

/** How the objects of a file follow each other. */
public enum JsonForm {
  /** Each in a line of its own. */
  LINES("newline_delimited"),
  /** In an array. */
  ARRAY("array"),
  /** One behind the other, of any number of lines. */
  CONCATENATED("unstructured");

  private final String option;

  JsonForm(String option) {
    this.option = option;
  }

  /** The name by which statements ask for it. */
  public String option() {
    return option;
  }
}
