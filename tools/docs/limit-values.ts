/* Values of limits, as the table shows them. */

export const count = (value: number): string => value.toLocaleString('en');
export const characters = (value: number): string => `${count(value)} characters`;
export const perSecond = (value: number): string => `${count(value)} per s`;
export const milliseconds = (value: number): string => seconds(value / 1000);
export const seconds = (value: number): string => (value % 3600 === 0 ? `${value / 3600} h` : `${value} s`);
export function bytes(value: number): string {
  const mebibytes = value / 1024 / 1024;
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${value / 1024} KiB`;
}
