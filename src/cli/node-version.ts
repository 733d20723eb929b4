/** The oldest Node that runs the program: `engines` of package.json. */
export const OLDEST_NODE = '24.12';

/** Why this Node cannot run the program; undefined: it can. */
export function whyNodeIsTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return (
    `millrace needs Node ${OLDEST_NODE} or newer, and this is Node ${version}. ` +
    'Install a newer Node, or use the single executable, which contains its own.'
  );
}
