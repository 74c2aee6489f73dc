package io.aragonite.adapter.shell;

/**
 * How rows are printed.
 *
 * @param width columns of the terminal that tables keep within; 0: there is no limit
 * @param types whether tables have the types of their columns under the names
 * @param terminal whether a terminal reads what is printed: control characters are shown as escapes
 *     in all formats then
 */
record PrintStyle(ResultFormat format, int width, boolean types, boolean terminal) {}
