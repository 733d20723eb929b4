/** A position in a picture, in points from the upper left corner. */
export interface Point {
  x: number;
  y: number;
}

/** The point as coordinates in SVG path data, rounded to tenths. */
export const svgPoint = ({ x, y }: Point): string => `${roundToTenth(x)},${roundToTenth(y)}`;

/** Rounds to tenths. At normal size, a screen shows nothing finer. */
export const roundToTenth = (value: number): number => Math.round(value * 10) / 10;
