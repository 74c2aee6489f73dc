package io.aragonite.tpch;

import io.aragonite.dataset.BatchBuilder;
import io.trino.tpch.Customer;
import io.trino.tpch.LineItem;
import io.trino.tpch.Nation;
import io.trino.tpch.Order;
import io.trino.tpch.Part;
import io.trino.tpch.PartSupplier;
import io.trino.tpch.Region;
import io.trino.tpch.Supplier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** For each table: how a row of the generator is appended to the columns of a batch. */
final class RowEncoders {
  private static final int CENTS = 100;

  private RowEncoders() {}

  /** Appends rows to a batch; its columns are named in the order of the table. */
  private static final class RowEncoder<T> implements Consumer<T> {
    private final BatchBuilder batch;
    private final List<Consumer<T>> columns = new ArrayList<>();

    RowEncoder(BatchBuilder batch) {
      this.batch = batch;
    }

    RowEncoder<T> longs(ToLongFunction<T> value) {
      BatchBuilder.Longs column = batch.longs();
      return column(row -> column.add(value.applyAsLong(row)));
    }

    RowEncoder<T> ints(ToIntFunction<T> value) {
      BatchBuilder.Ints column = batch.ints();
      return column(row -> column.add(value.applyAsInt(row)));
    }

    RowEncoder<T> cents(ToLongFunction<T> value) {
      BatchBuilder.Decimals column = batch.decimals();
      return column(row -> column.add(value.applyAsLong(row)));
    }

    RowEncoder<T> strings(Function<T, String> value) {
      BatchBuilder.Strings column = batch.strings();
      return column(row -> column.add(value.apply(row)));
    }

    private RowEncoder<T> column(Consumer<T> column) {
      columns.add(column);
      return this;
    }

    @Override
    public void accept(T row) {
      for (Consumer<T> column : columns) {
        column.accept(row);
      }
    }
  }

  static Consumer<Region> region(BatchBuilder batch) {
    return new RowEncoder<Region>(batch)
        .longs(Region::getRegionKey)
        .strings(Region::getName)
        .strings(Region::getComment);
  }

  static Consumer<Nation> nation(BatchBuilder batch) {
    return new RowEncoder<Nation>(batch)
        .longs(Nation::getNationKey)
        .strings(Nation::getName)
        .longs(Nation::getRegionKey)
        .strings(Nation::getComment);
  }

  static Consumer<Supplier> supplier(BatchBuilder batch) {
    return new RowEncoder<Supplier>(batch)
        .longs(Supplier::getSupplierKey)
        .strings(Supplier::getName)
        .strings(Supplier::getAddress)
        .longs(Supplier::getNationKey)
        .strings(Supplier::getPhone)
        .cents(Supplier::getAccountBalanceInCents)
        .strings(Supplier::getComment);
  }

  static Consumer<Customer> customer(BatchBuilder batch) {
    return new RowEncoder<Customer>(batch)
        .longs(Customer::getCustomerKey)
        .strings(Customer::getName)
        .strings(Customer::getAddress)
        .longs(Customer::getNationKey)
        .strings(Customer::getPhone)
        .cents(Customer::getAccountBalanceInCents)
        .strings(Customer::getMarketSegment)
        .strings(Customer::getComment);
  }

  static Consumer<Part> part(BatchBuilder batch) {
    return new RowEncoder<Part>(batch)
        .longs(Part::getPartKey)
        .strings(Part::getName)
        .strings(Part::getManufacturer)
        .strings(Part::getBrand)
        .strings(Part::getType)
        .ints(Part::getSize)
        .strings(Part::getContainer)
        .cents(Part::getRetailPriceInCents)
        .strings(Part::getComment);
  }

  static Consumer<PartSupplier> partSupplier(BatchBuilder batch) {
    return new RowEncoder<PartSupplier>(batch)
        .longs(PartSupplier::getPartKey)
        .longs(PartSupplier::getSupplierKey)
        .ints(PartSupplier::getAvailableQuantity)
        .cents(PartSupplier::getSupplyCostInCents)
        .strings(PartSupplier::getComment);
  }

  static Consumer<Order> order(BatchBuilder batch) {
    return new RowEncoder<Order>(batch)
        .longs(Order::getOrderKey)
        .longs(Order::getCustomerKey)
        .strings(row -> String.valueOf(row.getOrderStatus()))
        .cents(Order::getTotalPriceInCents)
        .ints(Order::getOrderDate)
        .strings(Order::getOrderPriority)
        .strings(Order::getClerk)
        .ints(Order::getShipPriority)
        .strings(Order::getComment);
  }

  static Consumer<LineItem> lineItem(BatchBuilder batch) {
    return new RowEncoder<LineItem>(batch)
        .longs(LineItem::getOrderKey)
        .longs(LineItem::getPartKey)
        .longs(LineItem::getSupplierKey)
        .ints(LineItem::getLineNumber)
        .cents(row -> row.getQuantity() * CENTS)
        .cents(LineItem::getExtendedPriceInCents)
        .cents(LineItem::getDiscountPercent)
        .cents(LineItem::getTaxPercent)
        .strings(LineItem::getReturnFlag)
        .strings(LineItem::getStatus)
        .ints(LineItem::getShipDate)
        .ints(LineItem::getCommitDate)
        .ints(LineItem::getReceiptDate)
        .strings(LineItem::getShipInstructions)
        .strings(LineItem::getShipMode)
        .strings(LineItem::getComment);
  }
}
