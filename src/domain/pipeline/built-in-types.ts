import { artifact } from './built-in/artifact.ts';
import { chat } from './built-in/chat.ts';
import { commitStatus } from './built-in/commit-status.ts';
import { email } from './built-in/email.ts';
import { fs } from './built-in/fs.ts';
import { git } from './built-in/git.ts';
import { hostcheckNotification, hostcheckResource } from './built-in/hostcheck.ts';
import { http } from './built-in/http.ts';
import { registryImage } from './built-in/registry-image.ts';
import { services } from './built-in/services.ts';
import { webhook } from './built-in/webhook.ts';

/*
 * The built-in types, as HCL. The compiler reads them as it reads pipelines. A key can be an alias; the label
 * of the definition is the real name.
 */

export const builtInResourceTypes: ReadonlyMap<string, string> = new Map([
  ['artifact', artifact],
  ['cron', 'resource_type "cron" {}\n'],
  ['fs', fs],
  ['git', git],
  ['github-check', hostcheckResource],
  ['hostcheck', hostcheckResource],
  ['http', http],
  ['registry-image', registryImage],
  ['trigger', 'resource_type "trigger" {}\n'],
]);

export const builtInNotificationTypes: ReadonlyMap<string, string> = new Map([
  ['chatone', chat('chatone')],
  ['chattwo', chat('chattwo')],
  ['commit-status', commitStatus],
  ['discord', chat('chattwo')],
  ['email', email],
  ['github-check', hostcheckNotification],
  ['hostcheck', hostcheckNotification],
  ['slack', chat('chatone')],
  ['webhook', webhook],
]);

export const builtInServiceTypes: ReadonlyMap<string, string> = services;

/** Built-in secret types have no command: the internal gateway reads the values. */
export const builtInSecretTypes: ReadonlyMap<string, string> = new Map([
  ['env', 'secret_type "env" {\n  params = ["path"]\n}\n'],
  ['file', 'secret_type "file" {\n  params = ["path", "format"]\n}\n'],
  ['kubernetes', 'secret_type "kubernetes" {\n  params = ["path"]\n}\n'],
  ['store', 'secret_type "store" {}\n'],
  [
    'vault',
    'secret_type "vault" {\n  params = ["address", "token", "role_id", "secret_id", "role", "jwt", "auth_path", ' +
      '"namespace", "ca", "path"]\n}\n',
  ],
]);

export const builtInRunnerTypes: ReadonlyMap<string, string> = new Map([
  ['exec', 'runner_type "exec" {\n  run {\n    path = "$path"\n    args = ["$args"]\n  }\n}\n'],
  ['shell', 'runner_type "shell" {\n  run {\n    path = "/bin/sh"\n    args = ["-ec", "$cmd"]\n  }\n}\n'],
]);
