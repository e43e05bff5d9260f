import { WorkspaceLife } from './life.js';
import {
  type Assembly,
  partsOf,
  type WorkspaceDependencies,
  type WorkspaceParts,
} from './workspace-parts.js';

/** A running workspace: a record of its parts. */
export interface LiveWorkspace extends WorkspaceParts {
  readonly life: WorkspaceLife;
}

/** Puts a workspace together, and begins its life. */
export function assemble(assembly: Assembly, dependencies: WorkspaceDependencies): LiveWorkspace {
  const parts = partsOf(assembly, dependencies);
  return { ...parts, life: new WorkspaceLife(parts, assembly) };
}

/**
 * Runs a rule in a workspace: opens it, reads its settings, runs the rule, and waits until every process can read what the rule recorded.
 * Nothing else enters a workspace. Rejects after a close.
 */
export async function run<Result>(
  workspace: LiveWorkspace,
  rule: () => Promise<Result> | Result,
): Promise<Result> {
  await workspace.life.opened();
  return runOpened(workspace, rule);
}

/** Runs a rule in a workspace that a key has opened, with its settings. */
export async function runOpened<Result>(
  { journal }: LiveWorkspace,
  rule: () => Promise<Result> | Result,
): Promise<Result> {
  const result = await rule();
  const written = journal.written();
  if (written !== undefined) await written;
  return result;
}
