package org.apache.spark.sql.execution.exchange;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * What the Java compiler sees of Spark's class of this name, and nobody else: no class is made of
 * it. Scala's compiler leaves the types of methods away that the class has from a trait, and
 * without them Java's finds no class that may extend it.
 */
public abstract class Exchange extends SparkPlan {
  @Override
  public final Seq<SparkPlan> children() {
    throw new AssertionError();
  }

  @Override
  public final SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
    throw new AssertionError();
  }

  @Override
  public Seq<Attribute> output() {
    throw new AssertionError();
  }

  /** As the trait of nodes with one child has it. */
  public abstract SparkPlan withNewChildInternal(SparkPlan child);
}
