import source from './generated/message-fields.json' with { type: 'json' };

type Fields = Readonly<Record<string, string>>;

const messages = source.messages as unknown as Readonly<Record<string, Fields>>;
const scalar = /^\d+ (string|bool|u?int(32|64)|double|float)$/;
const inline = /^\d+\S*\+\S* (\S+)$/;
const none: ReadonlySet<string> = new Set();
const known = new Map<string, ReadonlySet<string>>();

/** `io.k8s.api.core.v1.Pod` → `core/v1.Pod` */
function messageNameOf(definition: string): string {
  const [kind = '', version = '', group = ''] = definition.split('.').toReversed();
  return `${group}/${version}.${kind}`;
}

function namesOf(message: string): string[] {
  const fields: Fields = Object.hasOwn(messages, message) ? (messages[message] ?? {}) : {};
  const folder = message.slice(0, message.lastIndexOf('.'));
  return Object.entries(fields).flatMap(([name, text]) => {
    const inner = inline.exec(text)?.[1];
    if (inner !== undefined) return namesOf(inner.includes('.') ? inner : `${folder}.${inner}`);
    return scalar.test(text) ? [name] : [];
  });
}

/** The fields of a built-in type (`io.k8s.api.core.v1.Container`) that Go does not write while they are zero, empty or false: those that are
 *  neither pointers nor written always. Worked out once for each type. */
export function leftOutZeros(definition: string): ReadonlySet<string> {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const names = namesOf(messageNameOf(definition));
  const made = names.length === 0 ? none : new Set(names);
  known.set(definition, made);
  return made;
}
