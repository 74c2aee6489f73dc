package io.aragonite.spark.execution;

import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.rdd.RDD;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction1;

/**
 * What is done with the elements of each partition. RDDs are mapped as Spark's own operators map
 * them: what users hand over Spark checks first, for which it reads the code of classes for each
 * query.
 *
 * @param <T> elements of a partition
 * @param <U> what becomes of them
 */
final class PartitionMapping<T, U>
    extends AbstractFunction1<scala.collection.Iterator<T>, scala.collection.Iterator<U>>
    implements Serializable {
  private static final long serialVersionUID = 1L;

  private final ElementMapping<T, U> mapping;

  private PartitionMapping(ElementMapping<T, U> mapping) {
    this.mapping = mapping;
  }

  /**
   * The same in Java's terms.
   *
   * @param <T> elements of a partition
   * @param <U> what becomes of them
   */
  interface ElementMapping<T, U> extends Serializable {
    Iterator<U> of(Iterator<T> elements);
  }

  /** An RDD whose partitions are mapped, and have no partitioner. */
  static <T, U> RDD<U> map(RDD<T> elements, Class<? super U> type, ElementMapping<T, U> mapping) {
    return elements.mapPartitionsInternal(
        new PartitionMapping<>(mapping), false, ClassTag$.MODULE$.apply(type));
  }

  @Override
  public scala.collection.Iterator<U> apply(scala.collection.Iterator<T> elements) {
    return CollectionConverters.asScala(mapping.of(CollectionConverters.asJava(elements)));
  }
}
