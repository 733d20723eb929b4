import { stringify } from 'yaml';
import { escapeUnicode } from './output.ts';

/** YAML without line folding. Text with control characters is in double quotes, with escapes. */
export const asYaml = (data: unknown): string =>
  stringify(data, { lineWidth: 0, aliasDuplicateObjects: false }).replaceAll(
    /[\u007f-\u009f]/g,
    escapeUnicode,
  );
