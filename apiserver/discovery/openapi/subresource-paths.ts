import type { SubresourceType } from '../../core/index.ts';
import { readWriteOperations } from './object-operations.ts';
import { type ApiMethod, type ApiOperation, type ApiPath, anyMedia, capitalise, plainMedia } from './operations.ts';
import {
  type ApiParameter,
  pathParameters,
  prettyParameter,
  queryParameters,
  sortParameters,
  writeParameters,
} from './parameters.ts';
import { definitionName, type Subject } from './subject.ts';

/** Query parameters of connections to what runs, by kind of their options. */
const connectionParameters: Readonly<Record<string, readonly string[]>> = {
  PodAttachOptions: ['container', 'stderr', 'stdin', 'stdout', 'tty'],
  PodExecOptions: ['command', 'container', 'stderr', 'stdin', 'stdout', 'tty'],
  PodPortForwardOptions: ['ports'],
  PodProxyOptions: ['path'],
  ServiceProxyOptions: ['path'],
  NodeProxyOptions: ['path'],
};

const logParameters = queryParameters(
  'container',
  'follow',
  'insecureSkipTLSVerifyBackend',
  'limitBytes',
  'pretty',
  'previous',
  'sinceSeconds',
  'stream',
  'tailLines',
  'timestamps',
);

const proxyMethods: readonly ApiMethod[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

function placeOf(subject: Subject): ApiParameter[] {
  return [...subject.place, ...pathParameters('name')];
}

function connectPaths(subject: Subject, subresource: SubresourceType): ApiPath[] {
  const { collection, tag, prefix, scope } = subject;
  const { name, kind, group, version } = subresource;
  const isProxy = name === 'proxy';
  const methods = isProxy ? proxyMethods : (['get', 'post'] as const);
  const answer = { codes: [200], schema: 'string', media: anyMedia };
  const operations = (suffix: string): ApiOperation[] =>
    methods.map((method) => ({
      method,
      id: `connect${prefix}${capitalise(method)}${scope}${subject.kind.kind}${capitalise(name)}${suffix}`,
      action: 'connect',
      kind: { group, version, kind },
      parameters: [],
      answer,
    }));
  const path = `${collection}/{name}/${name}`;
  const parameters = [...placeOf(subject), ...queryParameters(...(connectionParameters[kind] ?? []))];
  const plain = { path, tag, parameters: sortParameters(parameters), operations: operations('') };
  if (!isProxy) return [plain];
  const below = sortParameters([...parameters, ...pathParameters('path')]);
  return [plain, { path: `${path}/{path}`, tag, parameters: below, operations: operations('WithPath') }];
}

function logPath(subject: Subject): ApiPath {
  const id = `read${subject.prefix}${subject.scope}${subject.kind.kind}Log`;
  const answer = { codes: [200], schema: 'string', media: ['text/plain', ...plainMedia] };
  return {
    path: `${subject.collection}/{name}/log`,
    tag: subject.tag,
    parameters: sortParameters([...placeOf(subject), ...logParameters]),
    operations: [{ method: 'get', id, action: 'get', kind: subject.kind, parameters: [], answer }],
  };
}

/** A path whose one operation takes its options from the path. */
function singlePath(subject: Subject, subresource: SubresourceType): ApiPath {
  const { name, kind, group, version, verbs } = subresource;
  const isCreate = verbs.includes('create');
  const schema = definitionName({ group, version, kind });
  const operation: ApiOperation = {
    method: isCreate ? 'post' : 'put',
    id: `${isCreate ? 'create' : 'replace'}${subject.prefix}${subject.scope}${subject.kind.kind}${capitalise(name)}`,
    action: isCreate ? 'post' : 'put',
    kind: { group, version, kind },
    parameters: [],
    body: { schema, isRequired: true, media: anyMedia },
    answer: { codes: isCreate ? [200, 201, 202] : [200, 201], schema, media: plainMedia },
  };
  const parameters = sortParameters([...writeParameters, ...placeOf(subject), ...prettyParameter]);
  return { path: `${subject.collection}/{name}/${name}`, tag: subject.tag, parameters, operations: [operation] };
}

/** The paths of one subresource. */
export function subresourcePaths(subject: Subject, subresource: SubresourceType): ApiPath[] {
  const { name, kind, group, version, verbs } = subresource;
  if (Object.hasOwn(connectionParameters, kind)) return connectPaths(subject, subresource);
  if (name === 'log') return [logPath(subject)];
  if (verbs.length === 1) return [singlePath(subject, subresource)];
  const body = { group, version, kind };
  const shown = { ...subject, definition: definitionName(body) };
  const documented = subject.type.isCustom ? subject.kind : body;
  const operations = readWriteOperations(shown, verbs, capitalise(name)).map((made) => ({ ...made, kind: documented }));
  const parameters = sortParameters([...placeOf(subject), ...prettyParameter]);
  return [{ path: `${subject.collection}/{name}/${name}`, tag: subject.tag, parameters, operations }];
}
