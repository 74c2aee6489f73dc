/**
 * Delimited text files. {@code CsvFile} is the table; {@code CsvOptions} what is declared about it
 * and {@code CsvSniffer} what is found out from a sample; {@code CsvScanner} knows where fields
 * end, {@code CsvPart} decodes a run of records, {@code ValueParser} a value.
 */
@NullMarked
package io.aragonite.adapter.format.csv;

import org.jspecify.annotations.NullMarked;
