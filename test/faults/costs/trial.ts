import type { JsonObject } from '../../../src/base/index.ts';
import type { Question } from '../../conformance/connection.ts';
import type { CostlyObject, Draw } from './draw.ts';
import type { CostlyKind } from './kinds.ts';
import type { Cost, MeasuredPlatform } from './measured.ts';

/** Another user than the one who asks meanwhile. */
const writer = { user: 'writer', groups: ['system:masters'] } as const;
const maxAnswerBytes = 16 * 1024 * 1024;
const crowdSize = 150;
const json = { 'content-type': 'application/json' };
const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };

/** Writes the objects of one draw into a namespace of their own, changes, reads and deletes them; keeps what each step cost. */
export class Trial {
  readonly steps: string[] = [];
  /** The first step that cost too much, or failed. */
  problem: string | undefined;
  readonly #measured: MeasuredPlatform;
  readonly #limitMs: number;
  readonly #namespace: string;

  constructor(measured: MeasuredPlatform, options: { readonly limitMs: number; readonly namespace: string }) {
    this.#measured = measured;
    this.#limitMs = options.limitMs;
    this.#namespace = options.namespace;
  }

  async play({ object, crowd }: Draw): Promise<void> {
    await this.#ask('namespace', {
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: json,
      body: JSON.stringify({ metadata: { name: this.#namespace } }),
    });
    if (crowd !== undefined) await this.#crowd(crowd);
    await this.#live(object);
    await this.#ask('delete namespace', {
      method: 'DELETE',
      path: `/api/v1/namespaces/${this.#namespace}`,
      headers: json,
    });
    await this.#untilCalm();
  }

  async #crowd(crowd: CostlyObject): Promise<void> {
    for (let number = 0; number < crowdSize; number += 1) {
      const status = await this.#create(`crowd ${number}`, crowd.kind, crowd.named(`crowd-${number}`));
      if (status !== 201) break;
    }
    await this.#untilCalm();
  }

  async #live({ kind, named }: CostlyObject): Promise<void> {
    const name = `large-${this.#namespace}`;
    const object = named(name);
    if ((await this.#create('create', kind, object)) !== 201) return;
    await this.#untilCalm();
    const path = `${this.#at(kind)}/${name}`;
    await this.#change(path, object);
    await this.#untilCalm();
    await this.#patch('merge-patch', path, { metadata: { finalizers: null } });
    await this.#ask('delete', { method: 'DELETE', path, headers: json });
  }

  async #change(path: string, object: JsonObject): Promise<void> {
    if (object['status'] !== undefined) {
      await this.#patch('merge-patch', `${path}/status`, { status: object['status'] });
    }
    await this.#patch('merge-patch', path, { metadata: { labels: { changed: 'once' } } });
    await this.#patch('strategic-merge-patch', path, object);
    await this.#patch('json-patch', path, [{ op: 'add', path: '/metadata/labels', value: { changed: 'twice' } }]);
    const { metadata: _, ...rest } = object;
    await this.#patch('apply-patch', `${path}?fieldManager=one&force=true`, object);
    await this.#patch('apply-patch', `${path}?fieldManager=two&force=true`, { ...rest, metadata: {} });
    await this.#ask('table', { method: 'GET', path, headers: table });
  }

  #at({ path }: CostlyKind): string {
    return path.replace('{namespace}', this.#namespace);
  }

  async #create(step: string, kind: CostlyKind, object: JsonObject): Promise<number> {
    return await this.#ask(step, {
      method: 'POST',
      path: this.#at(kind),
      headers: json,
      body: JSON.stringify(object),
    });
  }

  async #patch(type: string, path: string, body: unknown): Promise<void> {
    const headers = { 'content-type': `application/${type}+${type === 'apply-patch' ? 'yaml' : 'json'}` };
    await this.#ask(type, { method: 'PATCH', path, headers, body: JSON.stringify(body) });
  }

  async #ask(step: string, question: Question): Promise<number> {
    const { answer, ...cost } = await this.#measured.ask({ ...question, as: writer });
    const isRefused = answer.status >= 400;
    this.#count(`${step} ${answer.status}${isRefused ? ` ${answer.text.slice(0, 160)}` : ''}`, cost);
    // The server answers 500 for what kube-apiserver answers so, and 507 for a full store.
    if (answer.status > 500 && answer.status !== 507)
      this.problem ??= `${step}: ${answer.status} ${answer.text.slice(0, 300)}`;
    if (answer.raw.length > maxAnswerBytes) this.problem ??= `${step}: an answer of ${answer.raw.length} bytes`;
    return answer.status;
  }

  async #untilCalm(): Promise<void> {
    this.#count('controllers', await this.#measured.untilCalm());
  }

  #count(step: string, { waitMs, cpuMs }: Cost): void {
    const waited = `others waited ${waitMs.toFixed(0)} ms`;
    this.steps.push(`${step}: ${waited} of ${cpuMs.toFixed(0)} ms`);
    if (waitMs > this.#limitMs) this.problem ??= `${step}: ${waited} of processor time`;
  }
}
