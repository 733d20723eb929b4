export interface Point {
  x: number;
  y: number;
}

/** Coordinates for SVG path data, with one decimal. */
export const svgPoint = ({ x, y }: Point): string => `${roundToTenth(x)},${roundToTenth(y)}`;

/** A tenth of a point is finer than any screen. */
export const roundToTenth = (value: number): number => Math.round(value * 10) / 10;
