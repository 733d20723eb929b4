/**
 * The script as an HCL heredoc. Signs that would begin a template are escaped, so the value is the script,
 * without a line break at its start.
 */
export function heredoc(script: string): string {
  const text = script.replaceAll(/[$%](?=\{)/g, (sign) => sign + sign);
  return `<<SCRIPT\n${text.replace(/^\n/, '')}SCRIPT`;
}
