import { error, warning, type CodeEntry } from './code-entry.ts';
import { textCodes } from './text-codes.ts';

/**
 * Every code that a diagnostic can have. Codes are stable: a code never changes its meaning, and a removed
 * code is never used again.
 */
export const diagnosticCodes = {
  ...textCodes,
  'invalid-name': error('A name has characters that are not allowed.', 'Choose another name.'),
  'duplicate-name': error('Two things have the same name.', 'Rename one of them.'),
  'old-name-in-use': error('An old_name is still in use.', 'Remove the block with that name, or old_name.'),
  'variable-type': error(
    'The type of a variable does not exist.',
    'Write string, number, bool, list(string), map(string) and so on.',
  ),
  'variable-value': error(
    'The value given for a variable does not fit its type.',
    'Give a value of that type.',
  ),
  'variable-missing': error(
    'A variable has neither a value nor a default.',
    'Give a value with the pipeline, or add a default other than null.',
  ),
  'variable-undeclared': warning(
    'A value is given for a variable that the pipeline does not declare.',
    'Remove the value, or declare the variable.',
  ),
  'secret-used-indirectly': error(
    'An expression needs the value of a secret, which is not known while the pipeline is read.',
    'Use the secret unchanged or inside a text.',
  ),
  'secret-misplaced': error(
    'A secret is used where everyone can read it.',
    'Use secrets only in parameters, scripts, arguments and env.',
  ),
  'secret-type': error(
    'A variable is secret, but not a string.',
    'Write type = string: other types need a value while the pipeline is read.',
  ),
  'secret-cycle': error('Secrets depend on each other in a cycle.', 'Remove one of the references.'),
  'secret-chain': error('A secret needs more than nine others, one after another.', 'Shorten the chain.'),
  'source-with-commands': error(
    'A type has both a source and its own definition.',
    'Keep either the source or the inline definition.',
  ),
  'invalid-source': error(
    'A source is neither svc://<name> nor a URL.',
    'Write svc://<name> or an https:// URL.',
  ),
  'source-unavailable': error(
    'The definition at a source could not be fetched. Offline commands show this as a warning.',
    'Check the address and that it can be reached from here.',
  ),
  'source-digest': error(
    'source_digest is not the digest of the fetched text, or there is no source to fetch.',
    'Check what changed there. If the change is right, write the new digest.',
  ),
  'source-cycle': error(
    'Sources refer to each other in a cycle or in too long a chain.',
    'Name the last source directly.',
  ),
  'invalid-definition': error(
    'The definition at a source has errors.',
    'Correct the definition; the pipeline itself has no error here.',
  ),
  'unknown-runner': error('A runner of this name does not exist.', 'Use exec, shell or docker.'),
  'runner-override': error(
    'The runner of a type cannot run all its commands.',
    'A type with a runner of its own uses exec in all its commands.',
  ),
  'docker-args': error(
    'args of the runner docker has a flag that has no meaning in a Pod.',
    'Remove it. Workers are chosen by tags, variables are set by env, and files are in $WORKDIR.',
  ),
  'invalid-environment': error(
    'A variable in env has a name that is not allowed.',
    'Use letters, digits and _, no digit first, and no name that Millrace sets itself.',
  ),
  'invalid-command': error('A command lacks what its runner needs.', 'See the attributes of the runner.'),
  'runner-attribute': warning(
    'A command lacks an attribute that its runner_type uses, and that other commands give it.',
    'Set it, if it should not be empty.',
  ),
  'invalid-cache': error('A cache of a job has no key, or the job has too many.', 'Correct the block.'),
  'dynamic-image': error(
    'An image depends on values of the running build.',
    'Images are chosen before a build starts: use var.<name> or a fixed image.',
  ),
  'invalid-image': error('This is not the name of an image.', 'Write <registry>/<repository>:<tag>.'),
  'volume-refused': error(
    'A path of a resource is on no volume of the Team, or a put writes to a volume that is read-only.',
    'Choose a path on a volume of the Team, or have the volume added to spec.volumes of the Team.',
  ),
  'unknown-type': error('A block names a type that does not exist.', 'Declare it with a block of its own.'),
  'unknown-resource': error(
    'A step names a resource that does not exist.',
    'Declare it with a resource block.',
  ),
  'unknown-notification': error(
    'A step names a notification that does not exist.',
    'Declare it with a notification block.',
  ),
  'unknown-job': error(
    'passed, jobs or exclude names a job, group or instance that does not exist.',
    'Correct the name.',
  ),
  'missing-parameter': error(
    'A parameter is missing that the type requires.',
    'Add it to params, or to the block itself if that has no params.',
  ),
  'unknown-parameter': warning(
    'A parameter is set that the type does not declare.',
    'The type still gets it. If the name is a typo, correct it.',
  ),
  'invalid-parameter': error('A parameter has a value that its type does not accept.', 'Correct the value.'),
  'parameters-conflict': error(
    'Parameters contradict each other, or one lacks another that it needs.',
    'Remove one of them, or add the one that is missing.',
  ),
  'unreadable-parameter': warning(
    'The name of a parameter cannot be the name of a shell variable.',
    'Use letters, digits and _ only.',
  ),
  'duplicate-parameter': error('A parameter is set twice.', 'Keep one of them.'),
  'invalid-schedule': error(
    'An interval is not a schedule.',
    'Write a cron expression such as "*/5 * * * *", or "@every 30s".',
  ),
  'schedule-too-short': error('An interval is shorter than 10 seconds.', 'Write at least "@every 10s".'),
  'supersede-without-effect': warning(
    'supersede = false is set on a job without builds that a newer one could replace.',
    'Remove supersede.',
  ),
  'invalid-time-zone': error(
    'A time zone is not in the IANA database.',
    'Write a name such as "Europe/Berlin", or remove time_zone for UTC.',
  ),
  'time-zone-without-cron': warning(
    'A resource has a time zone, but no cron expression that it applies to.',
    'Remove time_zone, or write a cron expression instead of "@every".',
  ),
  'schedule-without-check': warning(
    'A resource has a schedule, but its type has no check.',
    'Remove the interval, or give the type a check.',
  ),
  'cache-without-effect': warning('A resource has a cache that nothing uses.', 'Remove cache.'),
  'get-not-supported': error(
    'A get names a resource whose type can neither check nor pull.',
    'Use the resource with put only, or give its type a check.',
  ),
  'put-not-supported': error(
    'A put names a resource whose type has no push.',
    'Give the type a push, or remove the step.',
  ),
  'get-params': error(
    'A get has params, but its type takes none.',
    'Remove params, or set the parameters in the resource.',
  ),
  'type-protocol': error(
    'A resource type with a protocol lacks its image, or also has commands of its own.',
    'Write protocol and image, and nothing else.',
  ),
  'passed-empty': error(
    'An expression left no job in passed, so the get would take versions that no job has passed.',
    'Correct the expression. To take versions that no job has passed, write passed = null.',
  ),
  'passed-never': error(
    'passed names a job that neither gets nor puts the resource.',
    'Let that job get or put the resource, or remove it from passed.',
  ),
  'passed-cycle': error('Jobs wait for each other in a cycle.', 'Remove one of the passed entries.'),
  'passed-in-branch': error(
    'A get in an if, else_if or else has passed.',
    'Move the get out of the branch, or remove passed.',
  ),
  'invalid-tag': error(
    'A tag or group is not a plain word, or there are more than ten.',
    'Use lower-case letters, digits and hyphens.',
  ),
  'for-each-type': error(
    'for_each is neither a set of strings nor a map.',
    'Write toset([…]) or a map { … }.',
  ),
  'for-each-with-matrix': error('A job has both for_each and matrix.', 'Keep one of them.'),
  'for-each-empty': warning(
    'A for_each or matrix has no elements, so there is no job or resource.',
    'Give it elements, or remove the block.',
  ),
  'too-many-instances': error(
    'A for_each or matrix makes more than 1,000 jobs or resources, or all together more than 5,000.',
    'Make fewer, or split the pipeline.',
  ),
  'invalid-condition': error(
    'The condition of an if cannot be read.',
    "Write comparisons such as $INPUT_ENV == 'prod', joined by && and ||; " +
      'operators are ==, !=, <, >, contains, !contains.',
  ),
  'condition-variable': error(
    'A condition names a variable that conditions cannot see, or that nothing in the job sets.',
    'Use $GET_<NAME>_<KEY> and $TASK_<NAME>_<KEY> of earlier steps, $INPUT_<NAME> of inputs, or $BUILD_NUMBER.',
  ),
  'condition-constant': warning(
    'A condition has no variable, or names one without its $.',
    'Write $ before the name of a variable, such as $INPUT_ENV == prod.',
  ),
  'else-without-if': error(
    'An else_if or else does not follow an if or else_if.',
    'Put it directly after that block, with no step in between.',
  ),
  'input-options': error(
    'The options of an input do not fit its type.',
    'A choice needs options; a string with options is a choice, a list may have them, others have none.',
  ),
  'input-case': warning(
    'A text names an input in another case than its variable has.',
    'Write the name in upper case, as $INPUT_<NAME>.',
  ),
  'input-default': error(
    'The default of an input is not a value that can be chosen.',
    'Give a value that the form accepts.',
  ),
  'invalid-identity': error(
    'An identity has an audience that is not allowed, or the job has more than five.',
    'Write 1 to 255 characters without spaces, as the verifier expects them.',
  ),
  'notification-events': error('on has all and another event.', 'Write on = ["all"] alone.'),
  'notification-jobs': error(
    'A notification has both jobs and exclude, or an expression left nothing in jobs.',
    'Keep one of them.',
  ),
  'notification-without-on': error(
    'A notification names jobs, but no event sends it.',
    'Add on, or remove the attribute.',
  ),
  'invalid-notify': error(
    'A notify step lacks an attribute that its type requires.',
    'Write status = "in_progress", or conclusion = "success".',
  ),
  'check-run-value': warning(
    'A check run gets a status or conclusion that the forge does not know.',
    'Write for example status = "in_progress", or conclusion = "success".',
  ),
  'near-miss': warning(
    'The name of a parameter of a step is almost that of an attribute of the step.',
    'Correct the name. If you mean a parameter of this name, ignore the warning.',
  ),
  'nothing-to-do': warning('A block holds no steps.', 'Add a task, put or notify, or remove the block.'),
  'put-without-token': warning(
    'A put pushes to a git resource over https without the parameter token. Forges refuse such a push.',
    'Add token = var.<name> to the params of the resource, and give the variable from a Secret.',
  ),
  'trigger-loop': warning(
    'Builds may start one another endlessly: a put creates the version that triggers a get.',
    'Remove trigger from the get, or let passed name a job that is not part of the loop.',
  ),
  'empty-pipeline': error(
    'The text has no block at all.',
    'Write the jobs and resources. To remove all jobs, delete the Pipeline.',
  ),
  'shared-prefix': warning(
    'Two steps of a job write the same environment variables.',
    'Rename one of them; otherwise later steps see the values of the later one.',
  ),
  'job-without-steps': warning('A job has no steps.', 'Add a get, task, put or notify.'),
} satisfies Record<string, CodeEntry>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
