/** The name that GitHub gives a heading: `` ## 4.2 Run `up` `` becomes `42-run-up`. */
function slugOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/<[^>]*>/g, '');
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** The lines of a document outside fenced blocks, with their numbers from 1. */
export function proseOf(text: string): { readonly number: number; readonly line: string }[] {
  let fence: string | undefined;
  return text.split('\n').flatMap((line, index) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      return mark === undefined ? [{ number: index + 1, line }] : [];
    }
    if (mark?.startsWith(fence) === true) fence = undefined;
    return [];
  });
}

/** What a link to a document may name behind `#`: explicit anchors (`<a id="…"></a>`) and its headings. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  for (const { line } of proseOf(text)) {
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
