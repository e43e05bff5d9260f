import type { WorkspaceStore } from '../../../src/server/store/store.js';

/** The aggregates of a workspace, and `root` for the verbs that concern several. */
type Part = Exclude<keyof WorkspaceStore, RootVerb | 'id'>;
type RootVerb = {
  [Member in keyof WorkspaceStore]: WorkspaceStore[Member] extends (...given: never[]) => unknown
    ? Member
    : never;
}[keyof WorkspaceStore];

/** The verbs of a workspace that do something else than they promise. */
export type Altered = { readonly [Name in Part]?: Partial<WorkspaceStore[Name]> } & {
  readonly root?: Partial<Pick<WorkspaceStore, RootVerb>>;
};

/** Says which verbs of a workspace are altered. Each can use the verbs that keep their promises. */
export type Alteration = (kept: WorkspaceStore) => Altered;

/** A workspace whose verbs are altered. */
export function alteredWorkspace(kept: WorkspaceStore, alteration: Alteration): WorkspaceStore {
  const { root = {}, ...parts } = alteration(kept);
  return withVerbs(kept, root, (name, member) =>
    Object.hasOwn(parts, name) && typeof member === 'object' && member !== null
      ? withVerbs(member, Object(Reflect.get(parts, name)))
      : member,
  );
}

/** An object with some of its methods replaced. */
function withVerbs<T extends object>(
  target: T,
  verbs: object,
  seen: (name: string, member: unknown) => unknown = (_, member) => member,
): T {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(verbs, name)) return Reflect.get(verbs, name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : seen(String(name), member);
    },
  });
}
