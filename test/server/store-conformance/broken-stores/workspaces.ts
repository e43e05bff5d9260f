import type { SegmentRecord, WorkspaceRecord } from '../../../../src/server/model/records.js';
import { MemoryStore } from '../../../../src/server/store/memory/memory-store.js';
import { MemoryWorkspace } from '../../../../src/server/store/memory/memory-workspace.js';
import { altered, alteredTogether } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';

class ComparesDigestsWithoutCase extends MemoryStore {
  override findWorkspaceId(digest: string) {
    return super.findWorkspaceId(digest.toLowerCase());
  }
}

class TakesKeysFromAnybody extends MemoryStore {
  override async removeApiKey(_: string, digest: string) {
    return super.removeApiKey((await this.findWorkspaceId(digest)) ?? '', digest);
  }
}

class HandsKeysOver extends MemoryStore {
  override async addApiKey(workspaceId: string, digest: string) {
    await this.removeApiKey((await this.findWorkspaceId(digest)) ?? '', digest);
    await super.addApiKey(workspaceId, digest);
  }
}

class DeletesNothing extends MemoryStore {
  override async deleteWorkspace() {}
}

class CreatesInTheSamePlace extends MemoryStore {
  override async createWorkspace(record: WorkspaceRecord) {
    await this.deleteWorkspace(record.id);
    await super.createWorkspace(record);
  }
}

class CreatesAfterAWhile extends MemoryStore {
  override async createWorkspace(record: WorkspaceRecord) {
    await null;
    await super.createWorkspace(record);
  }
}

class OpensAnotherToEach extends MemoryStore {
  readonly #records = new Map<string, WorkspaceRecord>();

  override async createWorkspace(record: WorkspaceRecord) {
    await super.createWorkspace(record);
    this.#records.set(record.id, record);
  }

  override workspace(workspaceId: string) {
    const record = this.#records.get(workspaceId);
    return record === undefined ? super.workspace(workspaceId) : new MemoryWorkspace(record);
  }
}

export const brokenWorkspaces: readonly BrokenStore[] = [
  [
    'compares the digests of keys without regard to case',
    'workspaces: are found by the digest of each of their keys, and by no other',
    () => new ComparesDigestsWithoutCase(),
  ],
  [
    'takes keys from anybody',
    'workspaces: lose a key once, and no key but their own',
    () => new TakesKeysFromAnybody(),
  ],
  [
    'gives a key of one workspace to another',
    'workspaces: take no key that opens another',
    () => new HandsKeysOver(),
  ],
  [
    'deletes nothing',
    'workspaces: are deleted with all that they hold, and their keys',
    () => new DeletesNothing(),
  ],
  [
    'overwrites a workspace with another of its id',
    'workspaces: are not put in the place of one with their id',
    () => new CreatesInTheSamePlace(),
  ],
  [
    'knows no workspace before it is written',
    'workspaces: can be asked for while they are created',
    () => new CreatesAfterAWhile(),
  ],
  [
    'keeps what a workspace holds with whoever asked for it',
    'workspaces: are the same to whoever asks for them',
    () => new OpensAnotherToEach(),
  ],
  [
    'finds the contacts of all workspaces',
    'workspaces: share nothing',
    alteredTogether((_, all) => ({
      contacts: {
        async findById(contactId) {
          const found = await Promise.all(all.map(({ contacts }) => contacts.findById(contactId)));
          return found.find((contact) => contact !== undefined);
        },
      },
    })),
  ],
  [
    'lists templates by their ids',
    'workspaces: list their templates in order, and find each by its id',
    altered((kept) => ({
      templates: {
        list: async () => [...(await kept.templates.list())].sort((a, b) => (a.id < b.id ? -1 : 1)),
      },
    })),
  ],
  [
    'finds segments among what an object has by itself',
    'workspaces: find a segment by its id, and journeys by theirs or by the event that starts them',
    altered((kept) => ({
      segments: {
        async find(segmentId) {
          const byId: Readonly<Record<string, SegmentRecord>> = Object.fromEntries(
            (await kept.segments.list()).map((segment) => [segment.id, segment]),
          );
          return byId[segmentId];
        },
      },
    })),
  ],
  [
    'takes what is rejected or deleted for forgotten',
    'workspaces: have forgotten nothing that they still hold, nor what was taken out of them',
    altered((kept) => {
      let begun = 0;
      return {
        sends: {
          begin(send) {
            begun += 1;
            return kept.sends.begin(send);
          },
        },
        root: {
          async countForgotten() {
            const { length } = await kept.sends.list();
            return { ...(await kept.countForgotten()), sends: begun - length };
          },
        },
      };
    }),
  ],
];
