package io.aragonite.sqltests.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Immutable;
import org.hibernate.cfg.Configuration;
import org.hibernate.exception.SQLGrammarException;
import org.junit.jupiter.api.Test;

/** Hibernate over tables that it reads only. */
class HibernateTest {
  @Entity(name = "Region")
  @Immutable
  @Table(name = "region")
  static class Region {
    @Id
    @Column(name = "r_regionkey")
    long key;

    @Column(name = "r_name")
    String name = "";

    @OneToMany(mappedBy = "region")
    Set<Nation> nations = Set.of();

    /** Methods are what a proxy loads its row for. */
    public String name() {
      return name;
    }

    public int nations() {
      return nations.size();
    }
  }

  @Entity(name = "Nation")
  @Immutable
  @Table(name = "nation")
  static class Nation {
    @Id
    @Column(name = "n_nationkey")
    long key;

    @Column(name = "n_name")
    String name = "";

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "n_regionkey")
    Region region = new Region();
  }

  @Entity(name = "Order")
  @Immutable
  @Table(name = "orders")
  static class Order {
    @Id
    @Column(name = "o_orderkey")
    long key;

    @Column(name = "o_orderdate")
    LocalDate date = LocalDate.EPOCH;

    @Column(name = "o_totalprice", precision = 15, scale = 2)
    BigDecimal price = BigDecimal.ZERO;
  }

  private static SessionFactory factory() {
    System.setProperty("org.jboss.logging.provider", "slf4j"); // as all of ours
    return new Configuration()
        .addAnnotatedClass(Region.class)
        .addAnnotatedClass(Nation.class)
        .addAnnotatedClass(Order.class)
        .setProperty("hibernate.connection.url", "jdbc:aragonite:tpch=0.01;device=cpu;threads=2")
        .setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
        .setProperty("hibernate.default_schema", "tpch")
        .buildSessionFactory();
  }

  @Test
  void entitiesAreRead() {
    try (SessionFactory factory = factory();
        Session session = factory.openSession()) {
      session.setDefaultReadOnly(true);
      session.beginTransaction();
      Nation france = session.find(Nation.class, 6L);
      assertEquals("FRANCE", france.name);
      assertEquals("EUROPE", france.region.name());
      assertEquals(5, france.region.nations());
      assertNull(session.find(Nation.class, 99L));
      assertEquals(
          List.of("GERMANY", "ROMANIA"),
          session
              .createSelectionQuery(
                  "select n.name from Nation n join n.region r where r.name = :region order by"
                      + " n.name",
                  String.class)
              .setParameter("region", "EUROPE")
              .setFirstResult(1)
              .setMaxResults(2)
              .list());
      Order order =
          session
              .createSelectionQuery("from Order o where o.date < :day and o.key = 1", Order.class)
              .setParameter("day", LocalDate.of(1998, 1, 1))
              .getSingleResult();
      assertEquals(LocalDate.of(1996, 1, 2), order.date);
      assertEquals(2, order.price.scale());
      var builder = session.getCriteriaBuilder();
      var query = builder.createQuery(Long.class);
      var nation = query.from(Nation.class);
      query.select(builder.count(nation)).where(nation.get("key").in(1L, 2L, 99L));
      assertEquals(2L, session.createSelectionQuery(query).getSingleResult());
      assertEquals(
          25L,
          session
              .createNativeQuery("select count(*) from tpch.nation", Long.class)
              .getSingleResult());
      session.getTransaction().commit();
      session.beginTransaction();
      assertThrows(
          SQLGrammarException.class,
          () -> session.createNativeQuery("select * from nosuch", Object.class).list());
      session.getTransaction().rollback();
      assertTrue(session.isConnected());
      assertFalse(session.isDirty());
    }
  }
}
