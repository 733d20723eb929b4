import { git, gitParameterRules } from './built-in-git.ts';
import type { ResourceType } from './pipeline.ts';

export interface BuiltInType {
  type: ResourceType;
  rules?: ParameterRules;
}

/** What a type asks of the parameters of its resources while the pipeline is read. */
export interface ParameterRules {
  required: readonly string[];
  /** Why the value cannot be, or undefined. Secret values are not shown to it. */
  explainBad: (name: string, value: string) => BadParameter | undefined;
}

export interface BadParameter {
  code: 'invalid-parameter' | 'later-feature';
  reason: string;
}

/** Has no commands: the operator answers its checks, each with the version `{ date }`, and its gets have nothing to fetch. */
const cron: ResourceType = { name: 'cron', builtIn: true, params: [], cache: false };

export const builtInTypes: readonly BuiltInType[] = [{ type: cron }, { type: git, rules: gitParameterRules }];

/** Built-in types that the language has, but not this version. */
export const laterBuiltInTypes: readonly string[] = [
  'fs',
  'trigger',
  'artifact',
  'hostcheck',
  'github-check',
];

export function findBuiltInType(name: string): BuiltInType | undefined {
  return builtInTypes.find(({ type }) => type.name === name);
}
