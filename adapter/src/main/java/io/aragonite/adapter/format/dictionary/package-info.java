/**
 * Texts as codes of one dictionary for all that is read: what tables keep and Spark's fragments
 * compute with.
 */
@NullMarked
package io.aragonite.adapter.format.dictionary;

import org.jspecify.annotations.NullMarked;
