/** A parameter of a request: all of them are scalars. */
export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
}

type ParameterType = ApiParameter['type'];

const typesOfNames: Readonly<Record<string, ParameterType>> = {
  allowWatchBookmarks: 'boolean',
  follow: 'boolean',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  insecureSkipTLSVerifyBackend: 'boolean',
  limit: 'integer',
  limitBytes: 'integer',
  orphanDependents: 'boolean',
  ports: 'integer',
  previous: 'boolean',
  sendInitialEvents: 'boolean',
  sinceSeconds: 'integer',
  stderr: 'boolean',
  stdin: 'boolean',
  stdout: 'boolean',
  tailLines: 'integer',
  timeoutSeconds: 'integer',
  timestamps: 'boolean',
  tty: 'boolean',
  watch: 'boolean',
};

/** Query parameters by name; a name has one type everywhere. */
export function queryParameters(...names: readonly string[]): ApiParameter[] {
  return names.map((name) => ({ name, in: 'query', type: typesOfNames[name] ?? 'string' }));
}

export function pathParameters(...names: readonly string[]): ApiParameter[] {
  return names.map((name) => ({ name, in: 'path', type: 'string' }));
}

/** Sorted as documents have them. */
export function sortParameters(parameters: readonly ApiParameter[]): ApiParameter[] {
  return parameters.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.in < b.in ? -1 : 1));
}

export const writeParameters: readonly ApiParameter[] = queryParameters('dryRun', 'fieldManager', 'fieldValidation');
export const patchParameters: readonly ApiParameter[] = [...writeParameters, ...queryParameters('force')];
export const deleteParameters: readonly ApiParameter[] = queryParameters(
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
);

const selection = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
];
export const selectionParameters: readonly ApiParameter[] = queryParameters(...selection);
export const listParameters: readonly ApiParameter[] = queryParameters('allowWatchBookmarks', ...selection, 'watch');
export const prettyParameter: readonly ApiParameter[] = queryParameters('pretty');
