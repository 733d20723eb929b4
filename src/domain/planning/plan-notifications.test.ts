import { describe, expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { planNotificationRun, type BuildToNotify } from './plan-notifications.ts';
import { needsOfNotifications } from './pod-needs.ts';

const BASE = { base_url: 'https://ci.example' };
const definition = (key: string): Pipeline => ({
  resourceTypes: [{ name: 'git', builtIn: true, params: [], cache: false }],
  resources: [{ name: 'git.app', type: 'git', label: 'app', params: {}, tags: [], cache: false }],
  jobs: [
    {
      name: 'ship',
      tags: ['lan'],
      steps: [
        { kind: 'get', name: 'app', resource: 'git.app', trigger: true, passed: [] },
        { kind: 'task', name: 't', run: { runner: 'docker', image: 'big', cmd: 'x' } },
      ],
      approval: {
        label: 'go',
        approvals: 1,
        notify: [{ kind: 'notify', notification: 'chat.ask', params: { level: 'high' }, message: 'please' }],
      },
    },
  ],
  notificationTypes: [
    { name: 'chat', builtIn: true, params: [], notify: { runner: 'shell', cmd: 'send' } },
    { name: 'page', builtIn: true, params: [], notify: { runner: 'docker', image: 'pager', cmd: 'page' } },
  ],
  notifications: [
    { name: 'chat.ask', type: 'chat', label: 'ask', params: { ...BASE, key }, on: [] },
    { name: 'page.bad', type: 'page', label: 'bad', params: { key }, message: 'bad', on: ['failure'] },
  ],
});
const build = (more: Partial<BuildToNotify>): BuildToNotify => ({
  id: 5,
  build: 9,
  moment: 'ended',
  number: '7',
  status: 'failed',
  reason: 'Rejected',
  notifications: ['page.bad'],
  versions: [{ ref: 'abc' }],
  inputs: {},
  ...more,
});
const plan = (...builds: BuildToNotify[]) =>
  planNotificationRun({
    run: '3',
    team: 'main',
    name: 'app',
    job: 'ship',
    builds,
    pipeline: definition('s3cret'),
    empty: definition(''),
  });

describe('the plan of notifications without an agent of the build', () => {
  test('has one command for each notification, with the variables of the build and no working directory', () => {
    const { hooks, containers } = plan(build({}));
    expect(hooks?.plans).toEqual([
      {
        id: '5.0',
        version: '5',
        job: 'ship',
        hook: 'page.bad',
        command: { container: 'image-1-pager', argv: ['/bin/sh', '-e'], script: 'page' },
        message: 'bad',
        env: {
          BUILD_NUMBER: '7',
          BUILD_JOB_NAME: 'ship',
          BUILD_PIPELINE_NAME: 'app',
          BUILD_TEAM_NAME: 'main',
          BUILD_STATUS: 'failed',
          BUILD_REASON: 'Rejected',
          notify_build_status: 'failed',
          param_key: 's3cret',
          GET_APP_REF: 'abc',
          version_ref: 'abc',
        },
      },
    ]);
    expect(containers).toEqual([{ name: 'image-1-pager', image: 'pager' }]);
  });

  test('asks for approval with the page of the build', () => {
    const waiting = build({ moment: 'waiting', status: 'waiting', notifications: ['chat.ask'] });
    const [request] = plan(waiting).hooks?.plans ?? [];
    expect(request).toMatchObject({ hook: 'chat.ask', message: 'please' });
    expect(request?.env).toMatchObject({
      notify_build_status: 'waiting',
      notify_level: 'high',
      BUILD_URL: 'https://ci.example/teams/main/pipelines/app/jobs/ship/builds/7',
    });
    expect(request?.env).not.toHaveProperty('BUILD_STATUS');
  });

  test('has no secrets for a build of a pull request from a fork', () => {
    const fork = build({ id: 6, versions: [{ ref: 'abc', fork: 'true' }] });
    const keys = plan(build({}), fork).hooks?.plans.map(({ env }) => env['param_key']);
    expect(keys).toEqual(['s3cret', '']);
  });

  test('needs the containers of its notifications and the nodes of the job', () => {
    const { containers } = plan(build({}));
    expect(needsOfNotifications(definition('x'), { job: 'ship', builds: [build({})] })).toMatchObject({
      containers,
      tags: ['lan'],
      resources: [],
    });
  });
});
