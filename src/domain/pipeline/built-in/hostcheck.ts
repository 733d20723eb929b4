import { builtInCommand, builtInScript } from './built-in-script.ts';
import { reportedCommit } from './reported-commit.ts';

/*
 * The script of hostcheck, which reports a check run as a GitHub App, to GitHub or another host with the same
 * API. It needs Node.js to sign its token. A notification passes `$notify_…`, a resource (the older form)
 * `$put_…`.
 */
export const hostcheckScript = builtInScript(`
command -v node >/dev/null || { echo 'hostcheck: this image has no Node.js' >&2; exit 1; }
${reportedCommit}
export sha clone start
node --input-type=module - <<'PROGRAM'
import { createSign } from 'node:crypto';
import { existsSync } from 'node:fs';

const { env } = process;
const setting = (name) => env['notify_' + name] || env['put_' + name] || '';
const fail = (message) => { console.error('hostcheck: ' + message); process.exit(1); };

const api = (env.HOSTCHECK_API || 'https://api.github.com').replace(/\\/$/, '');
const repository = env.param_repository || '';
const ended = { succeeded: 'success', failed: 'failure', cancelled: 'cancelled' }[env.notify_build_status];
const status = setting('status') || (env.notify_build_status === 'waiting' ? 'queued' : '');
const conclusion = setting('conclusion') || (status ? '' : ended || '');
if (!/^(?!\\.{1,2}\\/)[\\w.-]+\\/(?!\\.{1,2}$)[\\w.-]+$/.test(repository)) {
  fail('the parameter repository is not <owner>/<repository>');
}
if (!status && !conclusion) fail('either status or conclusion is needed');
const sha = env.sha ?? '';
if (!/^[0-9a-f]{40,64}$/.test(sha)) {
  fail('there is no commit to report on: set head_sha, or get one repository before');
}
const name = setting('name') || env.BUILD_PIPELINE_NAME + '/' + env.BUILD_JOB_NAME;

function signedToken() {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iat: now - 60, exp: now + 540, iss: env.param_app_id };
  const text = part({ alg: 'RS256', typ: 'JWT' }) + '.' + part(claims);
  try {
    return text + '.' + createSign('RSA-SHA256').update(text).sign(env.param_private_key || '', 'base64url');
  } catch {
    return fail('the parameter private_key is not a private key in PEM');
  }
}

async function ask(method, path, authorization, body, tries = 3) {
  const request = {
    method,
    redirect: 'error',
    signal: AbortSignal.timeout(30_000),
    headers: {
      accept: 'application/vnd.github+json',
      authorization,
      'content-type': 'application/json',
      'user-agent': 'millrace',
    },
    ...(body && { body: JSON.stringify(body) }),
  };
  const response = await fetch(api + path, request).catch((error) => error);
  const isBusy = response instanceof Error || response.status === 429 || response.status >= 500;
  if (isBusy && tries > 1) {
    await new Promise((resolve) => setTimeout(resolve, (4 - tries) * 1000));
    return ask(method, path, authorization, body, tries - 1);
  }
  if (response instanceof Error) fail(method + ' ' + path + ': ' + (response.cause?.code ?? response.message));
  const text = await response.text();
  if (!response.ok) fail(method + ' ' + path + ': status ' + response.status + ' ' + text.slice(0, 500));
  return JSON.parse(text);
}

function detailsUrl() {
  if (setting('details_url')) return setting('details_url');
  if (!env.param_base_url || !env.BUILD_NUMBER) return undefined;
  const job = [env.BUILD_TEAM_NAME, 'pipelines', env.BUILD_PIPELINE_NAME, 'jobs', env.BUILD_JOB_NAME];
  return env.param_base_url.replace(/\\/$/, '') + '/teams/' + job.join('/') + '/builds/' + env.BUILD_NUMBER;
}

// When somebody re-runs the check, a webhook of the host has this id: domain/build/rerun-request.ts parses
// it.
function externalId() {
  return [env.BUILD_TEAM_NAME, env.BUILD_PIPELINE_NAME, env.BUILD_JOB_NAME, env.BUILD_NUMBER].join('/');
}

const listIn = (name) => {
  try { return JSON.parse(env[name] || '[]'); } catch { return []; }
};

// The path of a file of the clone within the repository. Undefined for a file outside of the clone.
function pathInRepository(path) {
  if (!env.clone) return path;
  const root = env.start + '/' + env.clone + '/';
  if (existsSync(root + path)) return path;
  const prefix = env.clone.replace(/\\/$/, '') + '/';
  return path.startsWith(prefix) && existsSync(env.start + '/' + path) ? path.slice(prefix.length) : undefined;
}

function outputOf() {
  const lines = listIn('BUILD_LOG');
  const longest = Math.max(2, ...lines.map((line) => (line.match(/\`+/g) ?? []).map((run) => run.length)).flat());
  const fence = '\`'.repeat(longest + 1);
  const reason = env.BUILD_REASON && env.BUILD_REASON !== 'AllStepsSucceeded' ? ' (' + env.BUILD_REASON + ')' : '';
  const title = (env.BUILD_NUMBER ? 'Build #' + env.BUILD_NUMBER + ': ' : '') + conclusion + reason;
  const log = lines.length === 0 ? [] : ['The end of the log:', [fence + 'text', ...lines, fence].join('\\n')];
  const annotations = listIn('BUILD_ERRORS').slice(0, 50).flatMap(({ path, line, column, message }) => {
    const known = pathInRepository(path);
    const columns = column ? { start_column: column, end_column: column } : {};
    if (known === undefined) return [];
    return [{ path: known, start_line: line, end_line: line, ...columns, annotation_level: 'failure', message }];
  });
  const summary = [env.NOTIFY_MESSAGE || title, ...log].join('\\n\\n').slice(0, 60000);
  return { title, summary, ...(annotations.length > 0 && { annotations }) };
}

const installation = '/app/installations/' + env.param_installation_id + '/access_tokens';
const { token } = await ask('POST', installation, 'Bearer ' + signedToken());
const authorization = 'token ' + token;
const now = new Date().toISOString();
const run = {
  name,
  head_sha: sha,
  ...(detailsUrl() && { details_url: detailsUrl() }),
  ...(env.BUILD_NUMBER && { external_id: externalId() }),
  ...(conclusion ? { status: 'completed', conclusion, completed_at: now, output: outputOf() } : { status }),
  ...(status === 'in_progress' && !conclusion && { started_at: now }),
};
// Updates an open check run of this name. A completed run stays as it is.
const query = '?check_name=' + encodeURIComponent(name) + '&filter=latest';
const found = await ask('GET', '/repos/' + repository + '/commits/' + sha + '/check-runs' + query, authorization);
const isOurs = ({ app }) => String(app?.id ?? env.param_app_id) === env.param_app_id;
const open = (found.check_runs ?? []).find((candidate) => candidate.status !== 'completed' && isOurs(candidate));
const { head_sha: _, ...change } = run;
if (open) await ask('PATCH', '/repos/' + repository + '/check-runs/' + open.id, authorization, change);
else await ask('POST', '/repos/' + repository + '/check-runs', authorization, run);
console.error('hostcheck: ' + name + ' is ' + (conclusion || status) + ' for ' + sha);
PROGRAM
`);

const params = 'params = ["app_id", "installation_id", "private_key", "repository", "base_url"]';

export const hostcheckNotification = `
notification_type "hostcheck" {
  ${params}
  notify "shell" {
    cmd = ${builtInCommand(hostcheckScript)}
  }
}
`;

export const hostcheckResource = `
resource_type "hostcheck" {
  ${params}
  push "shell" {
    cmd = ${builtInCommand(hostcheckScript)}
  }
}
`;
