import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { PathBuildView } from '#flows/views/ports.ts';
import { requireFound } from './found.ts';
import { nanoseconds } from './nanoseconds.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { answer, BuildStatusName, Strings, Time, VersionParams } from './schemas.ts';

const Build = Type.Object({
  id: Type.Integer(),
  build_number: Type.String(),
  status: BuildStatusName,
  started_at: Type.Optional(Time),
  ended_at: Type.Optional(Time),
  /** Nanoseconds. */
  duration: Type.Optional(Type.Integer()),
});

const Path = {
  resource: Type.Object({ canonical: Type.String(), version_id: Type.Integer(), version: Strings }),
  path: Type.Array(
    Type.Object({
      job_name: Type.String(),
      build: Type.Union([Build, Type.Null()]),
      retries: Type.Array(Build),
    }),
  ),
};

export function versionPathRoute({ views }: PipelinePorts): Route {
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/path',
    needs: 'read',
    about:
      'Where a version went: the jobs that take it, the jobs downstream and those that take what they ' +
      'put, nearest first, each with its newest build and the retries of that build.',
    schema: { params: VersionParams, response: answer(Path) },
    handler: async ({ params }) => {
      const { team, pipeline } = params;
      const { resource, version, fields, path } = requireFound(
        await views.versionPath(params, params.version),
        `Version ${params.version} of resource ${params.resource} of pipeline ${pipeline} in team ${team}`,
      );
      return {
        data: {
          resource: { canonical: resource, version_id: version, version: fields },
          path: path.map(({ job, build, retries }) => ({
            job_name: job,
            build: build === undefined ? null : encode(build),
            retries: retries.map(encode),
          })),
        },
      };
    },
  });
}

function encode({ id, number, status, startedAt, endedAt }: PathBuildView) {
  return {
    id,
    build_number: number,
    status,
    ...defined({ started_at: startedAt?.toISOString(), ended_at: endedAt?.toISOString() }),
    ...(startedAt !== undefined && endedAt !== undefined && { duration: nanoseconds(startedAt, endedAt) }),
  };
}
