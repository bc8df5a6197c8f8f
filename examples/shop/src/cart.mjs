/** What the items of a cart cost together, in cents. */
export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0);
}

/** What is left to pay with a coupon. */
export function discount(sum, code) {
  if (code === 'TEN') {
    return Math.round(sum * 0.9);
  }
  if (code === 'FREE') {
    return 0;
  }
  throw new RangeError(`There is no coupon ${code}.`);
}

/** What it costs to send it. */
export function shipping(sum, country) {
  if (sum >= 5000) {
    return 0;
  }
  if (country === 'home') {
    return 490;
  }
  return 1490;
}
