export interface Point {
  x: number;
  y: number;
}

/** Points with one decimal, as SVG wants them. */
export const at = ({ x, y }: Point): string => `${round(x)},${round(y)}`;

/** A tenth of a point is finer than any screen. */
export const round = (value: number): number => Math.round(value * 10) / 10;
