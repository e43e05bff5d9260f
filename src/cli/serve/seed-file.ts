import { readFile } from 'node:fs/promises';
import { parseDocument, type ScalarTag, type Tags } from 'yaml';
import { parseWorkspaceSeed, type WorkspaceSeed } from '../../server/index.js';
import { messageOf, UsageError } from '../terminal/failures.js';

/** A phone number without quotes is a text, too. YAML alone reads `+15551234567` as a number. */
const phone: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  test: /^\+\d{7,15}$/,
  resolve: (text) => text,
};

/**
 * Reads a seed from a YAML or JSON file. JSON is YAML, so one parser reads both.
 *
 * @throws UsageError if the seed is invalid. It names the file and each problem.
 */
export async function readSeedFile(path: string): Promise<WorkspaceSeed> {
  try {
    const customTags = (tags: Tags): Tags => [phone, ...tags];
    const document = parseDocument(await readFile(path, 'utf8'), { customTags });
    const [mistake] = document.errors;
    if (mistake !== undefined) throw mistake;
    // It throws if aliases make a huge value of a few lines.
    return parseWorkspaceSeed(document.toJS() ?? {});
  } catch (error) {
    throw new UsageError(`The seed file ${path} cannot be used.\n${messageOf(error)}`);
  }
}
