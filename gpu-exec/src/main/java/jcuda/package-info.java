/** The one class of JCuda that is replaced: {@link LibUtilsCuda}, which loads its libraries. */
@NullMarked
package jcuda;

import org.jspecify.annotations.NullMarked;
