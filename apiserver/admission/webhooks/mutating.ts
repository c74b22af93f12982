import {
  errorMessage,
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  jsonSyntaxProblem,
} from '../../../src/base/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  internalError,
  type KubeObject,
  type ResourceType,
} from '../../core/index.ts';
import { decodeProblems, dropUnknownFields } from '../../schema/index.ts';
import type { HookCaller } from './call.ts';
import { dispatch } from './dispatch.ts';
import { type Hook, HookReader } from './hook.ts';
import { type MatchedHook, matchHooks } from './matching.ts';
import { convert } from './review.ts';

/** Applies a JSON patch to a copy. */
export type ApplyJsonPatch = (document: JsonObject, patch: JsonValue) => JsonObject;

/** The same request about another object; `warn` stays bound to the first. */
function withObject(request: AdmissionRequest, object: KubeObject): AdmissionRequest {
  return { ...request, warn: (text) => request.warn(text), object };
}

/** What all rounds of one request share. */
class MutationRun {
  readonly #caller: HookCaller;
  readonly #applyJsonPatch: ApplyJsonPatch;
  /** Hooks that ran, each with the object as it left it. */
  readonly #seen = new Map<Hook, KubeObject | undefined>();
  #request: AdmissionRequest;

  constructor(request: AdmissionRequest, caller: HookCaller, applyJsonPatch: ApplyJsonPatch) {
    this.#request = request;
    this.#caller = caller;
    this.#applyJsonPatch = applyJsonPatch;
  }

  get object(): KubeObject | undefined {
    return this.#request.object;
  }

  async run(matched: MatchedHook): Promise<void> {
    const response = await dispatch(this.#caller, matched, this.#request);
    if (response?.patch !== undefined) this.#patch(matched, response.patch);
    this.#seen.set(matched.hook, this.object);
  }

  /** Whether the object changed after this hook, which wants to know of that. */
  needsAgain({ hook }: MatchedHook): boolean {
    if (hook.reinvocationPolicy !== 'IfNeeded' || !this.#seen.has(hook)) return false;
    const left = this.#seen.get(hook);
    return left !== this.object && !isJsonEqual(left as unknown as JsonValue, this.object as unknown as JsonValue);
  }

  #patch({ hook, type }: MatchedHook, patch: string): void {
    const { resource, object } = this.#request;
    if (object === undefined) {
      const why = 'attempted to modify the object, which is not supported for this operation';
      throw internalError(`admission webhook "${hook.name}" ${why}`);
    }
    const patched = this.#patched(convert(object, resource, type) ?? {}, patch);
    if (this.#request.subresource === undefined) this.#decode(patched, type);
    const next = convert(patched as unknown as KubeObject, type, resource) as unknown as KubeObject;
    const owned = structuredClone(next);
    if (this.#request.subresource === undefined) resource.strategy.applyDefaults(owned);
    this.#request = withObject(this.#request, owned);
  }

  /** @throws StatusError 500, whatever the failure policy: the webhook did answer */
  #patched(document: JsonObject, text: string): JsonObject {
    try {
      return this.#applyJsonPatch(document, decodePatch(text));
    } catch (thrown) {
      const { cause } = thrown as Error;
      throw internalError(errorMessage(cause instanceof Error ? cause : thrown), thrown);
    }
  }

  /** Unknown fields go, as they do from a body.
   *  @throws StatusError 500 for a value of a wrong type */
  #decode(object: JsonObject, type: ResourceType): void {
    const { schema, kind, isCustom } = type;
    const [problem] = schema === undefined || isCustom ? [] : decodeProblems(object, schema, kind);
    if (problem !== undefined) throw internalError(problem);
    dropUnknownFields(type, object as unknown as KubeObject);
  }
}

/** @throws Error in Go's words */
function decodePatch(text: string): JsonValue {
  const problem = jsonSyntaxProblem(Buffer.from(text))?.text;
  if (problem !== undefined) throw new Error(problem);
  const patch = JSON.parse(text) as JsonValue;
  if (Array.isArray(patch) || patch === null) return patch;
  const found = typeof patch === 'boolean' ? 'bool' : typeof patch;
  throw new Error(`json: cannot unmarshal ${found} into Go value of type jsonpatch.Patch`);
}

/** Asks matching mutating webhooks one after another, and once more those that want to see what later ones changed. */
export function mutatingWebhooks(
  cluster: Cluster,
  caller: HookCaller,
  applyJsonPatch: ApplyJsonPatch,
): AdmissionPlugin {
  const reader = new HookReader(cluster, 'mutating');
  return {
    name: 'MutatingAdmissionWebhook',
    mutate: async (request) => {
      const hooks = reader.read();
      if (hooks.length === 0) return undefined;
      const matched = matchHooks(hooks, request, cluster);
      const run = new MutationRun(request, caller, applyJsonPatch);
      for (const hook of matched) await run.run(hook);
      for (const hook of matched) {
        if (run.needsAgain(hook)) await run.run(hook);
      }
      return run.object === request.object ? undefined : run.object;
    },
  };
}
