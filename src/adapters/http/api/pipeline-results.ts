import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { defined } from '#defined';
import { withBlocks } from '#domain/language/diagnostic.ts';
import type { ChangePipelinePorts, PipelineChanged } from '#flows/pipelines/change-pipeline.ts';
import type { ManifestFinding } from '#flows/pipelines/diagnose-manifest.ts';
import type { PipelineObject } from '#flows/pipelines/object-ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { objectProblem, requireObjects } from './cluster-objects.ts';

/*
 * What the routes that create, change, rename, validate and delete a pipeline share: their ports, their
 * responses, and the time limit of a response.
 */

/** In milliseconds: longer than a flow waits for the operator. */
export const RESPONSE_TIME_LIMIT_MS = 20_000;

export const FindingSchema = Type.Object({
  severity: Type.Enum(['error', 'warning']),
  code: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
  /** The position after the last character. */
  end_line: Type.Optional(Type.Integer()),
  end_column: Type.Optional(Type.Integer()),
  /** The named blocks that hold the position, outermost first. */
  blocks: Type.Optional(Type.Array(Type.String())),
  message: Type.String(),
  help: Type.Optional(Type.String()),
});
export const Verdict = {
  /** Whether the pipeline runs its current text. */
  ready: Type.Boolean(),
  /** Whether the operator still has to decide about the text. It does so without another request. */
  pending: Type.Optional(Type.Boolean()),
  reason: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
};
export const PipelineResult = {
  team: Type.String(),
  name: Type.String(),
  ...Verdict,
  warnings: Type.Array(FindingSchema),
};
export const PipelineResultBody = Type.Object({ data: Type.Object(PipelineResult) });

export function changePorts({ objects, members, compiler, wait, elapsed }: AccessPorts): ChangePipelinePorts {
  return { objects: requireObjects(objects).pipelines, members, compiler, wait, elapsed };
}

interface PipelinePath {
  team: string;
  pipeline: string;
}

const NOT_RECONCILED = { reason: 'Pending', message: 'The operator has not reconciled it yet.' };

/** Encodes the result for a pipeline of this name, or throws a problem that says why nothing was written. */
export function encodeResult({ team, pipeline }: PipelinePath, changed: PipelineChanged) {
  if (changed.answer === 'invalid') throw invalidPipeline(changed.findings);
  if (changed.answer !== 'done') throw objectProblem(changed, `Pipeline ${pipeline}`);
  return { team, name: pipeline, ...encodeVerdict(changed), warnings: changed.warnings.map(encodeFinding) };
}

/** Encodes whether the pipeline runs its current text, and if not, why not. */
export function encodeVerdict({ verdict, undecided }: Pick<PipelineObject, 'verdict' | 'undecided'>) {
  if (verdict === undefined) return { ready: false, pending: true, ...(undecided ?? NOT_RECONCILED) };
  const { ready, reason, message } = verdict;
  return ready ? { ready } : { ready, reason, message };
}

function invalidPipeline(findings: readonly ManifestFinding[]): Problem {
  const [first] = findings.filter(({ severity }) => severity === 'error');
  const position = first?.line === undefined ? '' : `${first.line}:${first.column ?? 1}: `;
  const message = first ? withBlocks(first.message, first.blocks) : 'The text has errors.';
  return new Problem('invalid-pipeline', `${position}${message}`, {
    findings: findings.map(encodeFinding),
  });
}

export function encodeFinding({ endLine, endColumn, ...finding }: ManifestFinding) {
  return {
    ...finding,
    ...defined({ end_line: endLine, end_column: endColumn }),
  };
}
