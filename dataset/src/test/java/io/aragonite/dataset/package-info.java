@NullMarked
package io.aragonite.dataset;

import org.jspecify.annotations.NullMarked;
