import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isJsonObject, type JsonObject, parseYamlDocuments, TerminalError } from '../../src/base/index.ts';
import { type ApiAccess, type ApiAnswer, type ApiCall, callApi } from './api-request.ts';
import { formatTable, readJsonPath } from './format.ts';
import type { CommandResult } from './program.ts';
import { resourceOf, resourceOfKind } from './resources.ts';

interface Player {
  readonly access: ApiAccess;
  readonly cwd: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Arguments {
  readonly verb: string;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string>>;
}

const tableType = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const waitDeadlineMs = 60_000;
const waitStepMs = 200;

function readArguments(args: readonly string[]): Arguments {
  const positionals: string[] = [];
  const options: Record<string, string> = {};
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? '';
    const [name = '', ...value] = word.split('=');
    if (word.startsWith('--')) options[name.slice(2)] = value.join('=');
    else if (word.startsWith('-')) options[word.slice(1)] = args[++index] ?? '';
    else positionals.push(word);
  }
  return { verb: positionals[0] ?? '', positionals: positionals.slice(1), options };
}

function pathOf(word: string, name: string | undefined, options: Arguments['options']): string {
  const base = resourceOf(word).path.replace('NS', options['n'] ?? 'default');
  return name === undefined ? base : `${base}/${name}`;
}

function call(player: Player, request: Omit<ApiCall, 'signal'>): Promise<ApiAnswer> {
  return callApi(player.access, { ...request, signal: player.signal });
}

/** What kubectl prints for a Status of kind Failure. */
function refusal(answer: ApiAnswer): CommandResult {
  const status = isJsonObject(answer.body) ? answer.body : {};
  const reason = typeof status['reason'] === 'string' ? ` (${status['reason']})` : '';
  const message = typeof status['message'] === 'string' ? status['message'] : `HTTP status ${answer.status}`;
  return { exitCode: 1, output: `Error from server${reason}: ${message}\n` };
}

function outcome(answer: ApiAnswer, text: string): CommandResult {
  const { exitCode, output } = answer.status < 300 ? { exitCode: 0, output: text } : refusal(answer);
  return { exitCode, output: answer.warnings.map((warning) => `Warning: ${warning}\n`).join('') + output };
}

async function apply(player: Player, args: Arguments): Promise<CommandResult> {
  const file = args.options['f'] ?? '';
  const [document] = parseYamlDocuments(file, await readFile(join(player.cwd, file), 'utf8'));
  const object = document as { kind: string; metadata: { name: string; namespace?: string } };
  const { namespace } = object.metadata;
  const resource = resourceOfKind(object.kind);
  const [word] = resource.words;
  const place = namespace === undefined ? {} : { n: namespace };
  const answer = await call(player, {
    method: 'PATCH',
    path: `${pathOf(word, object.metadata.name, place)}?fieldManager=kubectl`,
    contentType: 'application/apply-patch+yaml',
    body: JSON.stringify(object),
  });
  const verb = answer.status === 201 ? 'created' : 'configured';
  return outcome(answer, `${resource.label}/${object.metadata.name} ${verb}\n`);
}

async function patch(player: Player, args: Arguments): Promise<CommandResult> {
  const [word = '', name = ''] = args.positionals;
  const answer = await call(player, {
    method: 'PATCH',
    path: pathOf(word, name, args.options),
    contentType: 'application/merge-patch+json',
    body: args.options['p'] ?? '{}',
  });
  return outcome(answer, `${resourceOf(word).label}/${name} patched\n`);
}

async function remove(player: Player, args: Arguments): Promise<CommandResult> {
  const [word = '', name = ''] = args.positionals;
  const answer = await call(player, { method: 'DELETE', path: pathOf(word, name, args.options) });
  if (answer.status < 300) await waitFor(player, pathOf(word, name, args.options), isNotFound);
  return outcome(answer, `${resourceOf(word).label} "${name}" deleted\n`);
}

async function getValue(player: Player, args: Arguments, jsonPath: string): Promise<CommandResult> {
  const [word = '', name] = args.positionals;
  const answer = await call(player, { method: 'GET', path: pathOf(word, name, args.options) });
  return outcome(answer, readJsonPath(jsonPath, answer.body));
}

async function get(player: Player, args: Arguments): Promise<CommandResult> {
  const [words = '', name] = args.positionals;
  const form = args.options['o'] ?? '';
  if (form.startsWith('jsonpath=')) return await getValue(player, args, form.slice('jsonpath='.length));
  const kinds = words.split(',');
  const tables: string[] = [];
  for (const word of kinds) {
    const path = pathOf(word, name, args.options);
    const answer = await call(player, { method: 'GET', path, accept: tableType });
    if (answer.status >= 300) return refusal(answer);
    const label = kinds.length > 1 ? { label: resourceOf(word).label } : {};
    tables.push(formatTable(answer.body, { isWide: form === 'wide', ...label }));
  }
  const output = tables.filter((table) => table !== '').join('\n');
  return { exitCode: 0, output: output === '' ? 'No resources found\n' : output };
}

const isNotFound = (answer: ApiAnswer): boolean => answer.status === 404;

function hasCondition(type: string, status: string): (answer: ApiAnswer) => boolean {
  return (answer) => {
    const state = isJsonObject(answer.body) && isJsonObject(answer.body['status']) ? answer.body['status'] : {};
    const conditions = Array.isArray(state['conditions']) ? state['conditions'] : [];
    return (conditions as JsonObject[]).some(
      (condition) => condition['type'] === type && String(condition['status'] as string).toLowerCase() === status,
    );
  };
}

async function waitFor(player: Player, path: string, isMet: (answer: ApiAnswer) => boolean): Promise<void> {
  const endMs = player.clock.now() + waitDeadlineMs;
  while (!isMet(await call(player, { method: 'GET', path }))) {
    if (player.clock.now() > endMs) throw new TerminalError('TimedOut', `timed out waiting for ${path}`);
    await player.clock.sleep(waitStepMs, { signal: player.signal });
  }
}

function hasValue(path: string, value: string): (answer: ApiAnswer) => boolean {
  return (answer) => readJsonPath(path, answer.body) === `${value}\n`;
}

/** `delete`, `condition=Ready` or `jsonpath={.status.phase}=Ready` */
function goalOf(text: string): (answer: ApiAnswer) => boolean {
  if (text === 'delete') return isNotFound;
  const [what, name = '', value = 'true'] = text.split('=');
  if (what !== 'jsonpath') return hasCondition(name, value);
  // Filters have equality signs, too.
  const at = text.lastIndexOf('=');
  return hasValue(text.slice('jsonpath='.length, at), text.slice(at + 1));
}

async function wait(player: Player, args: Arguments): Promise<CommandResult> {
  const [word = '', name = ''] = (args.positionals[0] ?? '').split('/');
  await waitFor(player, pathOf(word, name, args.options), goalOf(args.options['for'] ?? ''));
  return { exitCode: 0, output: `${resourceOf(word).label}/${name} condition met\n` };
}

async function rollout(player: Player, args: Arguments): Promise<CommandResult> {
  const [word = '', name = ''] = (args.positionals[1] ?? '').split('/');
  await waitFor(player, pathOf(word, name, args.options), hasCondition('Available', 'true'));
  return { exitCode: 0, output: `deployment "${name}" successfully rolled out\n` };
}

const verbs: Readonly<Record<string, (player: Player, args: Arguments) => Promise<CommandResult>>> = {
  apply,
  patch,
  delete: remove,
  get,
  wait,
  rollout,
};

/** Does through the API what the kubectl command would do: only what the demo's story uses.
 *  @throws TerminalError UnknownResource, UnknownVerb, TimedOut */
export async function playThroughApi(args: readonly string[], player: Player): Promise<CommandResult> {
  const read = readArguments(args);
  const verb = Object.hasOwn(verbs, read.verb) ? verbs[read.verb] : undefined;
  if (verb === undefined) throw new TerminalError('UnknownVerb', `the demo knows no command "${read.verb}"`);
  return await verb(player, read);
}
