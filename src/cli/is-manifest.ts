/**
 * Whether a file contains manifests. A name that ends in .yaml, .yml, .json or .hcl decides. Otherwise the
 * file must have a field `apiVersion` and start with something that is valid YAML or JSON but not HCL, such
 * as `---`.
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
