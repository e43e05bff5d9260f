import type { WorkspaceRecord } from '../../../src/server/model/records.js';
import type { Effects } from '../../../src/server/store/effects.js';
import type { Lease } from '../../../src/server/store/memory/claims.js';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import { storeEffects, type WorkspaceStore } from '../../../src/server/store/store.js';

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

/** A store in memory whose workspaces are altered. */
export class AlteredStore extends MemoryStore {
  readonly #lease: Lease;
  readonly #alter: (kept: WorkspaceStore) => WorkspaceStore;
  readonly #altered = new Map<string, WorkspaceStore>();

  /** @param alter - Makes the altered workspace of one that keeps its promises. */
  constructor(lease: Lease, alter: (kept: WorkspaceStore) => WorkspaceStore) {
    super(lease);
    this.#lease = lease;
    this.#alter = alter;
  }

  override async createWorkspace(record: WorkspaceRecord) {
    await super.createWorkspace(record);
    this.#altered.set(record.id, this.#alter(new MemoryWorkspace(record, this.#lease)));
  }

  override async deleteWorkspace(workspaceId: string) {
    await super.deleteWorkspace(workspaceId);
    this.#altered.delete(workspaceId);
  }

  override workspace(workspaceId: string) {
    return this.#altered.get(workspaceId) ?? super.workspace(workspaceId);
  }
}

/** Calls a verb, such as `contacts.upsert`, with what it is given or with something else. */
type Around = (verb: string, call: (...given: unknown[]) => unknown, given: readonly unknown[]) => unknown;

/** An object each verb of which, also of its parts, is called by a function. */
export function aroundVerbs<Part extends object>(part: Part, around: Around, prefix = ''): Part {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const verb = prefix + String(name);
      if (typeof member === 'function') {
        const call = (...given: unknown[]): unknown => Reflect.apply(member, target, given);
        return (...given: unknown[]) => around(verb, call, given);
      }
      return typeof member === 'object' && member !== null ? aroundVerbs(member, around, `${verb}.`) : member;
    },
  });
}

/** The verbs of a workspace that are declared to have an effect. */
export function verbsThat(
  effect: 'reads' | 'writes',
  effects: Effects = storeEffects.workspace,
  prefix = '',
): readonly string[] {
  return Object.entries(effects).flatMap(([name, declared]) => {
    if (typeof declared !== 'string') return verbsThat(effect, declared, `${prefix}${name}.`);
    return declared === effect ? [prefix + name] : [];
  });
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
