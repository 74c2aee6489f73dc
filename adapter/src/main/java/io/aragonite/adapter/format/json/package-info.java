/**
 * JSON files: objects line by line, one behind the other or in an array. Each object is a row, its
 * keys are columns.
 */
@NullMarked
package io.aragonite.adapter.format.json;

import org.jspecify.annotations.NullMarked;
