export type PrintRow = typeof printRow;

export function printRow(name: string, value: string, aim = ''): void {
  console.log(`${name.padEnd(64)} ${value}${aim === '' ? '' : `   [aim ${aim}]`}`);
}
