@NullMarked
package io.aragonite.tpcds;

import org.jspecify.annotations.NullMarked;
