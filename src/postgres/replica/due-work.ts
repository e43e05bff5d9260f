import type { DueWork } from '../../server/store/shared-store.js';
import { fromText } from '../database/text.js';

export interface FoundWork {
  readonly workspaceId: string;
  readonly work: DueWork;
}

/** Parses the payload of a job: the workspace, the kind of work, and its id. */
export function parseDueWork(written: Readonly<Record<string, unknown>>): FoundWork | undefined {
  const { workspace, kind, id } = written;
  if (typeof workspace !== 'string' || typeof id !== 'string') return undefined;
  const work = workOf(kind, fromText(id));
  return work && { workspaceId: fromText(workspace), work };
}

export function workOf(kind: unknown, id: string): DueWork | undefined {
  switch (kind) {
    case 'deliveries':
      return { kind, subscriptionId: id };
    case 'journey_run':
      return { kind, runId: id };
    case 'events':
    case 'sends':
      return { kind };
    default:
      return undefined;
  }
}
