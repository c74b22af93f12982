const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
);

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const plain: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** A property's name as expressions write it; undefined when they cannot. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (part) => escapes[part] ?? part);
}

/** The property that an expression means by a name; undefined when none can be meant. */
export function unescapeName(name: string): string | undefined {
  if (!name.includes('__')) return name;
  let isGood = true;
  const result = name.replaceAll(/__([^_]+)__/g, (all, inner: string) => {
    if (Object.hasOwn(plain, inner)) return plain[inner] ?? '';
    if (reserved.has(inner) && all.length === name.length) return inner;
    isGood = false;
    return '';
  });
  return isGood ? result : undefined;
}
