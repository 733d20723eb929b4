/**
 * The same objects with a count of how often their fields are read. It distinguishes linear from quadratic
 * work without a clock.
 */
export function counted<Item extends object>(items: readonly Item[]): { items: Item[]; reads: () => number } {
  let reads = 0;
  const handler: ProxyHandler<Item> = {
    get(target, field, receiver): unknown {
      reads += 1;
      return Reflect.get(target, field, receiver);
    },
  };
  return { items: items.map((item) => new Proxy(item, handler)), reads: () => reads };
}
