import type { Finding } from './finding.ts';
import { fieldsOf, isFields, manifestError, placeAt, placeOfKey, type Manifest } from './parse-manifests.ts';

/** The apiVersion that every Pipeline must have. */
const API_VERSION = 'millrace.dev/v1alpha1';

/**
 * Finds errors for which the API server would refuse a Pipeline. Only the rules of crds/pipelines.yaml that
 * people often break are checked.
 */
export function checkPipeline(manifest: Manifest): Finding[] {
  return [...checkIdentity(manifest), ...checkText(manifest), ...checkVariables(manifest)];
}

function checkIdentity(manifest: Manifest): Finding[] {
  const { file, fields } = manifest;
  const { name, generateName } = fieldsOf(fields['metadata']);
  const findings: Finding[] = [];
  if (fields['apiVersion'] !== API_VERSION) {
    const message = `there is no version ${String(fields['apiVersion'])} of Pipelines`;
    findings.push(
      manifestError(file, message, `Write apiVersion: ${API_VERSION}.`, placeAt(manifest, ['apiVersion'])),
    );
  }
  if (name === undefined && generateName === undefined) {
    const message = 'the Pipeline has no name';
    findings.push(manifestError(file, message, 'Give it metadata.name.', placeOfKey(manifest, ['metadata'])));
  } else if (name !== undefined && !isName(name)) {
    const message = `${JSON.stringify(name)} cannot be the name of a Pipeline`;
    const help =
      'Use 1 to 63 lower-case letters, digits, "-" or "."; the first and last must be a letter or digit.';
    findings.push(manifestError(file, message, help, placeAt(manifest, ['metadata', 'name'])));
  }
  return findings;
}

const isName = (name: unknown): boolean =>
  typeof name === 'string' &&
  name.length <= 63 &&
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);

function checkText(manifest: Manifest): Finding[] {
  const { config, configFrom } = fieldsOf(manifest.fields['spec']);
  if (config === undefined || configFrom === undefined) return [];
  const place = placeOfKey(manifest, ['spec', 'configFrom']);
  return [
    manifestError(manifest.file, 'spec has both config and configFrom', 'Leave one of them out.', place),
  ];
}

function checkVariables(manifest: Manifest): Finding[] {
  const { file, fields } = manifest;
  const { vars } = fieldsOf(fields['spec']);
  if (vars === undefined) return [];
  if (!isFields(vars)) {
    const message = 'spec.vars is not a map of strings';
    return [
      manifestError(file, message, 'Write it as vars: {name: "value"}.', placeAt(manifest, ['spec', 'vars'])),
    ];
  }
  return Object.entries(vars).flatMap(([name, value]) => {
    if (typeof value === 'string') return [];
    const message = `the value of the variable "${name}" in spec.vars is ${kindOf(value)}, not a string`;
    const help = `Write it in quotes: ${name}: ${quoted(textOfVariable(value))}.`;
    return [manifestError(file, message, help, placeAt(manifest, ['spec', 'vars', name]))];
  });
}

/** The kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

const quoted = (text: string): string =>
  text.includes("'") || !text.includes('"') ? JSON.stringify(text) : `'${text}'`;

/** The text that the author of a value probably meant. */
export function textOfVariable(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
