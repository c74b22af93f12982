import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  errorMessage,
  fileProblem,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  TerminalError,
  withDeadline,
} from '../../src/base/index.ts';
import { type FoundCredentials, findCredentials, openKeyring } from '../../src/sources/index.ts';

/** The address under which container tools keep the login of Docker Hub. */
const dockerHubKey = 'https://index.docker.io/v1/';
const helperDeadlineMs = 15_000;
const maxAnswerBytes = 1024 * 1024;
const noLogin = /credentials not found|no credentials/i;

/** Where container tools keep logins: the file that is named, else `DOCKER_CONFIG/config.json`, else `~/.docker/config.json`. */
export function loginFile(
  named: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const { DOCKER_CONFIG: folder } = environment;
  if (named !== undefined) return named;
  return join(folder === undefined || folder === '' ? join(homedir(), '.docker') : folder, 'config.json');
}

async function readLogins(path: string): Promise<JsonObject | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new TerminalError('InvalidLogin', `${path}: ${fileProblem(thrown)}`, { cause: thrown });
  }
  let value: JsonValue;
  try {
    value = parseJson(path, text);
  } catch {
    // The parser's own message would quote the file, which holds passwords.
    throw new TerminalError('InvalidLogin', `${path}: is not valid JSON`);
  }
  if (isJsonObject(value)) return value;
  throw new TerminalError('InvalidLogin', `${path}: expected an object`);
}

interface HelperAnswer {
  readonly code: number | null;
  readonly text: string;
}

/** Runs `docker-credential-<helper> get`. */
async function ask(helper: string, key: string, signal: AbortSignal): Promise<HelperAnswer> {
  const child = spawn(`docker-credential-${helper}`, ['get'], { stdio: ['pipe', 'pipe', 'ignore'], signal });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(key);
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  child.stdout.on('data', (piece: Buffer) => {
    sizeBytes += piece.length;
    if (sizeBytes > maxAnswerBytes) child.kill('SIGKILL');
    else pieces.push(piece);
  });
  const code = await ended;
  return { code, text: Buffer.concat(pieces).toString() };
}

function refuseHelper(helper: string, why: string, cause?: unknown): never {
  const text = `credential helper docker-credential-${helper}: ${why}`;
  throw new TerminalError('CredentialHelperFailed', text, { cause });
}

function parseAnswer(helper: string, text: string): FoundCredentials['credentials'] {
  let value: JsonValue = null;
  try {
    value = parseJson('answer', text);
  } catch {
    refuseHelper(helper, 'its answer is not valid JSON');
  }
  const { Username: username, Secret: password } = isJsonObject(value) ? value : {};
  if (typeof username !== 'string' || typeof password !== 'string') {
    return refuseHelper(helper, 'its answer has no "Username" and "Secret"');
  }
  if (username !== '<token>') return { username, password };
  return refuseHelper(helper, 'it has an identity token, which is not supported: log in with a name and a password');
}

async function fromHelper(helper: string, key: string): Promise<FoundCredentials['credentials']> {
  if (!/^[\w.-]+$/.test(helper)) refuseHelper(helper, 'is no name of a program');
  let answer: HelperAnswer;
  try {
    const what = `credential helper docker-credential-${helper}`;
    answer = await withDeadline(what, { deadlineMs: helperDeadlineMs }, (signal) => ask(helper, key, signal));
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return refuseHelper(helper, isMissing ? 'is not installed, or not on the PATH' : errorMessage(thrown), thrown);
  }
  if (answer.code === 0) return parseAnswer(helper, answer.text);
  // The output of a helper may contain secrets, so only its known message is recognized.
  return noLogin.test(answer.text) ? undefined : refuseHelper(helper, `failed with exit status ${answer.code}`);
}

function helperFor(config: JsonObject, registry: string): string | undefined {
  const { credHelpers, credsStore } = config;
  const own = isJsonObject(credHelpers) && Object.hasOwn(credHelpers, registry) ? credHelpers[registry] : undefined;
  if (typeof own === 'string' && own !== '') return own;
  return typeof credsStore === 'string' && credsStore !== '' ? credsStore : undefined;
}

function fromFile(path: string, config: JsonObject, image: Place): FoundCredentials {
  const where = `${image.registry}/${image.repository}`;
  if (!isJsonObject(config['auths'])) return { credentials: undefined, note: `no login for ${where} in ${path}` };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths: config['auths'] })).toString('base64') };
  const keyring = openKeyring({ secrets: [{ name: path, type: 'kubernetes.io/dockerconfigjson', data }] });
  const { credentials } = findCredentials(keyring, image);
  const note = credentials === undefined ? `no login for ${where} in ${path}` : `those of ${path} were used`;
  return { credentials, note };
}

interface Place {
  readonly registry: string;
  readonly repository: string;
}

/** The login of a registry as container tools keep it: a store of credentials is asked first, then the file itself.
 *  @throws TerminalError InvalidLogin, CredentialHelperFailed, InvalidSecret; no message holds what is in the file */
export async function findLogin(path: string, image: Place): Promise<FoundCredentials> {
  const config = await readLogins(path);
  if (config === undefined) return { credentials: undefined, note: `there is no ${path}` };
  const { registry } = image;
  const helper = helperFor(config, registry);
  const key = registry === 'docker.io' ? dockerHubKey : registry;
  const found = helper === undefined ? undefined : await fromHelper(helper, key);
  if (found !== undefined) return { credentials: found, note: `those of docker-credential-${helper} were used` };
  return fromFile(path, config, image);
}
