/**
 * Whether a file contains manifests. The extension of its name decides. Without a known extension, the file
 * must have a field `apiVersion` and begin as YAML or JSON can, but HCL cannot, such as with `---`, a brace
 * or a key with a colon.
 */
export function isManifest(file: string, source: string): boolean {
  if (/\.ya?ml$|\.json$/i.test(file)) return true;
  if (/\.hcl$/i.test(file)) return false;
  return MANIFEST_BEGINNING.test(firstLine(source)) && /\bapiVersion["']?\s*:/.test(source);
}

const MANIFEST_BEGINNING = /^(?:---|%YAML|[{["'&!?]|- |[\w.-]+\s*:(?:\s|$))/;

/** The first line that is neither empty nor a comment. */
function firstLine(source: string): string {
  const lines = source.replace(/^\uFEFF/, '').split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#')) ?? '';
}
