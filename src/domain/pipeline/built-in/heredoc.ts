/** A script as HCL spells it: letter by letter, whatever stands in it. */
export function heredoc(script: string): string {
  const text = script.replaceAll(/[$%](?=\{)/g, (sign) => sign + sign);
  return `<<SCRIPT\n${text.replace(/^\n/, '')}SCRIPT`;
}
