import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { BuildChangesView } from '#flows/views/ports.ts';
import { nameBuild, refOf } from './builds.ts';
import { requireFound } from './found.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { answer, BUILD_PATH, BuildParams, Strings, Time } from './schemas.ts';

const Version = Type.Object({
  version_id: Type.Integer(),
  version: Strings,
  disabled: Type.Boolean(),
  found_at: Time,
});

const Changes = {
  since: Type.Optional(
    Type.String({ description: 'The last good build of the job before this one. Absent: there is none.' }),
  ),
  inputs: Type.Array(
    Type.Object({
      name: Type.String(),
      resource: Type.String(),
      change: Type.Enum(['none', 'newer', 'older', 'other'], {
        description:
          'How the version differs from that of the last good build. `other`: that build had another ' +
          'resource, or no such input.',
      }),
      versions: Type.Array(Version),
      has_more: Type.Boolean(),
    }),
  ),
};

export function buildChangesRoute({ views }: PipelinePorts): Route {
  return route({
    method: 'GET',
    url: `${BUILD_PATH}/changes`,
    needs: 'read',
    about:
      'What changed since the last good build of the job: for each input, the versions after that ' +
      "build's up to this one's, newest first, at most 100.",
    schema: { params: BuildParams, response: answer(Changes) },
    handler: async ({ params }) => {
      const ref = refOf(params);
      return { data: encode(requireFound(await views.changes(ref), nameBuild(ref))) };
    },
  });
}

function encode({ since, inputs }: BuildChangesView) {
  return {
    ...defined({ since }),
    inputs: inputs.map(({ versions, hasMore, ...input }) => ({
      ...input,
      versions: versions.map(({ id, fields, disabled, createdAt }) => ({
        version_id: id,
        version: fields,
        disabled,
        found_at: createdAt.toISOString(),
      })),
      has_more: hasMore,
    })),
  };
}
