import { graphOf } from '#domain/graph/graph-of.ts';
import { nodeStyles } from '#domain/graph/node-style.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Drawing } from '#flows/views/overview-ports.ts';
import { compileManifest, type ManifestFinding } from './diagnose-manifest.ts';
import type { Compiler } from './manifest-ports.ts';
import type { PipelineSpec } from './object-ports.ts';

interface PreviewPorts {
  compiler: Compiler;
  drawing: Pick<Drawing, 'svg'>;
}

export interface PipelinePreview {
  findings: ManifestFinding[];
  /** The graph of a valid text, as SVG. */
  picture?: string;
  /** A sentence that says why a valid text has no picture. */
  pictureRefused?: string;
}

/** Validates a text as `validatePipeline` does, and draws its graph if it is valid. Saves nothing. */
export async function previewPipeline(
  { config, vars = {} }: Pick<PipelineSpec, 'config' | 'vars'>,
  { compiler, drawing }: PreviewPorts,
): Promise<PipelinePreview> {
  const { findings, pipeline } = await compileManifest({ config, vars, varsElsewhere: false }, compiler);
  if (findings.some(({ severity }) => severity === 'error')) return { findings };
  return { findings, ...(pipeline === undefined ? NO_GRAPH_YET : await draw(pipeline, drawing)) };
}

const NO_GRAPH_YET = {
  pictureRefused: 'There is no graph yet: Millrace fetches types of this text only when you save it.',
};

const NO_STATE = { jobs: new Map(), resources: new Map() };

async function draw(
  pipeline: Pipeline,
  drawing: PreviewPorts['drawing'],
): Promise<Omit<PipelinePreview, 'findings'>> {
  const graph = graphOf(pipeline);
  const drawn = await drawing.svg({ graph, styles: nodeStyles(graph, NO_STATE), name: 'preview' });
  if ('svg' in drawn) return { picture: drawn.svg };
  return { pictureRefused: `There is no graph: ${drawn.refused.message}.` };
}
