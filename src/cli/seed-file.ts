import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { parseWorkspaceSeed, type WorkspaceSeed } from '../server/index.js';
import { UsageError } from './usage-error.js';

/** Reads what a workspace begins with from a YAML or JSON file. JSON is YAML, so one parser reads both. */
export async function readSeedFile(path: string): Promise<WorkspaceSeed> {
  const source = `The seed file ${path}`;
  const text = await readFile(path, 'utf8').catch((error: unknown) => refuse(source, error));
  return checkedSeed(parseYaml(text, source) ?? {}, source);
}

/** The seed, or a usage error that says where it came from and what is wrong with it. */
export function checkedSeed(value: unknown, source: string): WorkspaceSeed {
  try {
    return parseWorkspaceSeed(value);
  } catch (error) {
    return refuse(source, error);
  }
}

function parseYaml(text: string, source: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    return refuse(source, error);
  }
}

function refuse(source: string, error: unknown): never {
  throw new UsageError(`${source} cannot be used.\n${error instanceof Error ? error.message : error}`);
}
