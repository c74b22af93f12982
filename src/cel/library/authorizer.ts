import { Failure, noSuchOverload, Opaque, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';

/** A question that an expression asks about permissions. */
export interface AuthorizationQuestion {
  readonly verb: string;
  /** Absent: the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Answers whether something is allowed. */
export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Whom the expressions of one request ask. */
export type AskAuthorizer = (question: AuthorizationQuestion) => AuthorizationAnswer;

type Draft = Omit<AuthorizationQuestion, 'verb'>;

abstract class Step extends Opaque {
  readonly ask: AskAuthorizer;
  readonly draft: Draft;

  constructor(ask: AskAuthorizer, draft: Draft) {
    super();
    this.ask = ask;
    this.draft = draft;
  }

  equals(other: Opaque): boolean {
    return other === this;
  }
}

/** The variable `authorizer`. */
export class Authorizer extends Step {
  readonly typeName = 'kubernetes.authorization.Authorizer';
}

class PathCheck extends Step {
  readonly typeName = 'kubernetes.authorization.PathCheck';
}

class GroupCheck extends Step {
  readonly typeName = 'kubernetes.authorization.GroupCheck';
}

/** A question about a resource, for example the variable `authorizer.requestResource`. */
export class ResourceCheck extends Step {
  readonly typeName = 'kubernetes.authorization.ResourceCheck';
}

class Decision extends Opaque {
  readonly typeName = 'kubernetes.authorization.Decision';
  readonly answer: AuthorizationAnswer;

  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }

  equals(other: Opaque): boolean {
    return other === this;
  }
}

/** Steps from one kind of question to the next by texts. */
function step<T extends Step>(
  from: new (ask: AskAuthorizer, draft: Draft) => T,
  go: (from: T, texts: readonly string[]) => Value,
) {
  return ([target = null, ...args]: readonly Value[]): Value => {
    const texts = args.filter((arg) => typeof arg === 'string');
    return target instanceof from && texts.length === args.length ? go(target, texts) : noSuchOverload(target);
  };
}

function narrow(field: 'subresource' | 'namespace' | 'name') {
  return step(ResourceCheck, ({ ask, draft }, [text = '']) => new ResourceCheck(ask, { ...draft, [field]: text }));
}

function check([target = null, verb = null]: readonly Value[]): Value {
  if (!(target instanceof PathCheck || target instanceof ResourceCheck) || typeof verb !== 'string')
    return noSuchOverload(target);
  return new Decision(target.ask({ ...target.draft, verb }));
}

function onDecision(compute: (answer: AuthorizationAnswer) => Value) {
  return ([decision = null]: readonly Value[]): Value =>
    decision instanceof Decision ? compute(decision.answer) : noSuchOverload(decision);
}

function serviceAccount({ ask }: Authorizer, [namespace = '', name = '']: readonly string[]): Value {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) return new Failure('Invalid service account name');
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace)) return new Failure('Invalid service account namespace');
  return new Authorizer(ask, { serviceAccount: { namespace, name } });
}

const sameCheck = step(ResourceCheck, (target) => target);

/** Functions on `authorizer`. */
export const authorizerFunctions: Implementations = {
  path: step(Authorizer, ({ ask, draft }, [path = '']) =>
    path === '' ? new Failure('path must not be empty') : new PathCheck(ask, { ...draft, path }),
  ),
  group: step(Authorizer, ({ ask, draft }, [group = '']) => new GroupCheck(ask, { ...draft, group })),
  serviceAccount: step(Authorizer, serviceAccount),
  resource: step(GroupCheck, ({ ask, draft }, [resource = '']) =>
    resource === '' ? new Failure('resource must not be empty') : new ResourceCheck(ask, { ...draft, resource }),
  ),
  subresource: narrow('subresource'),
  namespace: narrow('namespace'),
  name: narrow('name'),
  fieldSelector: sameCheck,
  labelSelector: sameCheck,
  check,
  allowed: onDecision(({ allowed }) => allowed),
  reason: onDecision(({ reason }) => reason),
  errored: onDecision(() => false),
  error: onDecision(() => ''),
};
