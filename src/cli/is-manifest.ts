/**
 * A file of manifests: by its name, or where that tells nothing, by how it begins. No text in HCL begins with
 * a document's marker, a brace, a quoted key or a key and a colon, and no manifest without; what stands
 * further down may be anything, in a heredoc of HCL too.
 */
export function isManifest(file: string, source: string): boolean {
  if (/\.ya?ml$|\.json$/i.test(file)) return true;
  if (/\.hcl$/i.test(file)) return false;
  return BEGINS.test(firstLine(source)) && /\bapiVersion["']?\s*:/.test(source);
}

const BEGINS = /^(?:---|%YAML|[{["'&!?]|- |[\w.-]+\s*:(?:\s|$))/;

/** The first that holds more than a comment as YAML knows them. */
function firstLine(source: string): string {
  const lines = source.replace(/^\uFEFF/, '').split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#')) ?? '';
}
