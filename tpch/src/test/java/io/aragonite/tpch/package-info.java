@NullMarked
package io.aragonite.tpch;

import org.jspecify.annotations.NullMarked;
