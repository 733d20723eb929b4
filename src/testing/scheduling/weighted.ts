import * as fc from 'fast-check';

/** One of the names, with a probability proportional to its weight. */
export function weighted<Name extends string>(weights: Readonly<Record<Name, number>>): fc.Arbitrary<Name> {
  const isName = (name: string): name is Name => Object.hasOwn(weights, name);
  return fc.oneof(
    ...Object.keys(weights)
      .filter(isName)
      .map((name) => ({ weight: weights[name], arbitrary: fc.constant(name) })),
  );
}
