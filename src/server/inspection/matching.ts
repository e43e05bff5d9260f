/** Whether a value has the fields of another, however deep, as Vitest's `toMatchObject` compares them. */
export function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole))
    return false;
  if (Array.isArray(part) && Array.isArray(whole) && part.length !== whole.length) return false;
  return Object.entries(part).every(([name, value]) => isPartOf(value, Reflect.get(whole, name)));
}

/** The values of an object that are no objects, each with the names that lead to it. */
export function leavesOf(value: object): readonly (readonly [path: readonly string[], value: unknown])[] {
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'object' && each !== null
      ? leavesOf(each).map(([path, leaf]) => [[name, ...path], leaf] as const)
      : [[[name], each] as const],
  );
}
