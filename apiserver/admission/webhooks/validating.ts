import { type AdmissionPlugin, type AdmissionRequest, type Cluster, internalError } from '../../core/index.ts';
import type { HookCaller } from './call.ts';
import { dispatch } from './dispatch.ts';
import { HookReader } from './hook.ts';
import { type MatchedHook, matchHooks } from './matching.ts';

async function validateWith(caller: HookCaller, matched: MatchedHook, request: AdmissionRequest): Promise<void> {
  const response = await dispatch(caller, matched, request);
  if (response?.patch === undefined || matched.hook.failurePolicy === 'Ignore') return;
  const why = 'received invalid webhook response: validating webhook may not return response.patch';
  throw internalError(`failed calling webhook "${matched.hook.name}": ${why}`);
}

/** Asks all matching validating webhooks at once; the refusal that arrives first is reported. */
export function validatingWebhooks(cluster: Cluster, caller: HookCaller): AdmissionPlugin {
  const reader = new HookReader(cluster, 'validating');
  return {
    name: 'ValidatingAdmissionWebhook',
    validate: async (request) => {
      const matched = matchHooks(reader.read(), request, cluster);
      const failures: unknown[] = [];
      const calls = matched.map((hook) =>
        validateWith(caller, hook, request).catch((thrown: unknown) => {
          failures.push(thrown);
        }),
      );
      await Promise.all(calls);
      if (failures.length > 0) throw failures[0] as Error;
    },
  };
}
