import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, job, resource, samplePipeline } from './sample-pipeline.ts';

/** Creates secret texts, a different one for each call. */
export function plantSecrets(word = 'hunter2') {
  let planted = 0;
  return {
    word,
    secret: (): string => {
      planted += 1;
      return `${word}-${planted}`;
    },
    get planted(): number {
      return planted;
    },
  };
}

/** A pipeline with secret texts in its fields, but not in the names of jobs, steps, resources and types. */
export function pipelineWithSecrets(secret: () => string): Pipeline {
  const command = () => ({ runner: 'shell' as const, cmd: secret() });
  const step = <S extends object>(fields: S): S => ({
    ...fields,
    hooks: { onFailure: [{ kind: 'command' as const, run: command() }] },
  });
  const { resourceTypes } = samplePipeline();
  const types = resourceTypes.map((type) => ({
    ...type,
    params: [secret()],
    check: command(),
    pull: command(),
    push: command(),
    origin: { source: `https://${secret()}@example.test/type.hcl`, digest: secret() },
  }));
  const params = () => ({ url: `https://user:${secret()}@git.example.test`, token: secret() });
  return {
    resourceTypes: types,
    resources: [
      resource('git.app', { params: params(), tags: [secret()] }),
      resource('git.image', { params: params() }),
    ],
    jobs: [
      {
        ...job(
          'unit',
          step(get('git.app')),
          step({
            kind: 'task' as const,
            name: 'test',
            run: { runner: 'docker' as const, image: secret(), cmd: secret() },
            inputs: [secret()],
          }),
          {
            kind: 'parallel',
            failFast: true,
            steps: [{ kind: 'notify', notification: 'slack.team', message: secret(), params: params() }],
          },
          {
            kind: 'branch',
            branches: [{ condition: secret(), steps: [{ kind: 'task', name: 'maybe', run: command() }] }],
          },
        ),
        inputs: [{ name: 'WHERE', type: 'string', default: secret(), description: secret() }],
        onTrigger: [{ kind: 'command', run: command() }],
      },
      job('publish', get('git.app', { passed: ['unit'] }), {
        kind: 'put',
        name: 'image',
        resource: 'git.image',
        params: params(),
      }),
    ],
    notifications: [
      {
        name: 'slack.team',
        type: 'slack',
        label: 'team',
        params: params(),
        message: secret(),
        on: ['failure'],
      },
    ],
    secrets: [{ name: secret(), type: 'kubernetes', key: secret(), path: secret() }],
  };
}
