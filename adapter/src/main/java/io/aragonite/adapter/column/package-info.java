/** Reading values of a result's columns as types of Java's. */
@NullMarked
package io.aragonite.adapter.column;

import org.jspecify.annotations.NullMarked;
