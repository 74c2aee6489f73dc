package io.aragonite.tpch;

import io.trino.tpch.Customer;
import io.trino.tpch.LineItem;
import io.trino.tpch.Nation;
import io.trino.tpch.Order;
import io.trino.tpch.Part;
import io.trino.tpch.PartSupplier;
import io.trino.tpch.Region;
import io.trino.tpch.Supplier;
import java.util.function.Consumer;

/** For each table: how a row of the generator is appended to the columns of a batch. */
final class RowEncoders {
  private static final int CENTS = 100;

  private RowEncoders() {}

  static Consumer<Region> region(BatchBuilder batch) {
    var key = batch.longs();
    var name = batch.strings();
    var comment = batch.strings();
    return row -> {
      key.add(row.getRegionKey());
      name.add(row.getName());
      comment.add(row.getComment());
    };
  }

  static Consumer<Nation> nation(BatchBuilder batch) {
    var key = batch.longs();
    var name = batch.strings();
    var region = batch.longs();
    var comment = batch.strings();
    return row -> {
      key.add(row.getNationKey());
      name.add(row.getName());
      region.add(row.getRegionKey());
      comment.add(row.getComment());
    };
  }

  static Consumer<Supplier> supplier(BatchBuilder batch) {
    var key = batch.longs();
    var name = batch.strings();
    var address = batch.strings();
    var nation = batch.longs();
    var phone = batch.strings();
    var balance = batch.cents();
    var comment = batch.strings();
    return row -> {
      key.add(row.getSupplierKey());
      name.add(row.getName());
      address.add(row.getAddress());
      nation.add(row.getNationKey());
      phone.add(row.getPhone());
      balance.add(row.getAccountBalanceInCents());
      comment.add(row.getComment());
    };
  }

  static Consumer<Customer> customer(BatchBuilder batch) {
    var key = batch.longs();
    var name = batch.strings();
    var address = batch.strings();
    var nation = batch.longs();
    var phone = batch.strings();
    var balance = batch.cents();
    var segment = batch.strings();
    var comment = batch.strings();
    return row -> {
      key.add(row.getCustomerKey());
      name.add(row.getName());
      address.add(row.getAddress());
      nation.add(row.getNationKey());
      phone.add(row.getPhone());
      balance.add(row.getAccountBalanceInCents());
      segment.add(row.getMarketSegment());
      comment.add(row.getComment());
    };
  }

  static Consumer<Part> part(BatchBuilder batch) {
    var key = batch.longs();
    var name = batch.strings();
    var manufacturer = batch.strings();
    var brand = batch.strings();
    var type = batch.strings();
    var size = batch.ints();
    var container = batch.strings();
    var price = batch.cents();
    var comment = batch.strings();
    return row -> {
      key.add(row.getPartKey());
      name.add(row.getName());
      manufacturer.add(row.getManufacturer());
      brand.add(row.getBrand());
      type.add(row.getType());
      size.add(row.getSize());
      container.add(row.getContainer());
      price.add(row.getRetailPriceInCents());
      comment.add(row.getComment());
    };
  }

  static Consumer<PartSupplier> partSupplier(BatchBuilder batch) {
    var part = batch.longs();
    var supplier = batch.longs();
    var available = batch.ints();
    var cost = batch.cents();
    var comment = batch.strings();
    return row -> {
      part.add(row.getPartKey());
      supplier.add(row.getSupplierKey());
      available.add(row.getAvailableQuantity());
      cost.add(row.getSupplyCostInCents());
      comment.add(row.getComment());
    };
  }

  static Consumer<Order> order(BatchBuilder batch) {
    var key = batch.longs();
    var customer = batch.longs();
    var status = batch.strings();
    var total = batch.cents();
    var date = batch.ints();
    var priority = batch.strings();
    var clerk = batch.strings();
    var shipPriority = batch.ints();
    var comment = batch.strings();
    return row -> {
      key.add(row.getOrderKey());
      customer.add(row.getCustomerKey());
      status.add(row.getOrderStatus());
      total.add(row.getTotalPriceInCents());
      date.add(row.getOrderDate());
      priority.add(row.getOrderPriority());
      clerk.add(row.getClerk());
      shipPriority.add(row.getShipPriority());
      comment.add(row.getComment());
    };
  }

  static Consumer<LineItem> lineItem(BatchBuilder batch) {
    var order = batch.longs();
    var part = batch.longs();
    var supplier = batch.longs();
    var number = batch.ints();
    var quantity = batch.cents();
    var price = batch.cents();
    var discount = batch.cents();
    var tax = batch.cents();
    var returnFlag = batch.strings();
    var status = batch.strings();
    var shipped = batch.ints();
    var committed = batch.ints();
    var received = batch.ints();
    var instructions = batch.strings();
    var mode = batch.strings();
    var comment = batch.strings();
    return row -> {
      order.add(row.getOrderKey());
      part.add(row.getPartKey());
      supplier.add(row.getSupplierKey());
      number.add(row.getLineNumber());
      quantity.add(row.getQuantity() * CENTS);
      price.add(row.getExtendedPriceInCents());
      discount.add(row.getDiscountPercent());
      tax.add(row.getTaxPercent());
      returnFlag.add(row.getReturnFlag());
      status.add(row.getStatus());
      shipped.add(row.getShipDate());
      committed.add(row.getCommitDate());
      received.add(row.getReceiptDate());
      instructions.add(row.getShipInstructions());
      mode.add(row.getShipMode());
      comment.add(row.getComment());
    };
  }
}
