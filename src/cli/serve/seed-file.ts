import { readFile } from 'node:fs/promises';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { parseWorkspaceSeed, type WorkspaceSeed } from '../../server/index.js';
import { messageOf, UsageError } from '../terminal/failures.js';

/**
 * Reads a seed from a YAML or JSON file. JSON is YAML, so one parser reads both.
 *
 * @throws UsageError if the seed is invalid. It names the file and each problem.
 */
export async function readSeedFile(path: string): Promise<WorkspaceSeed> {
  let hints: readonly string[] = [];
  try {
    const lineCounter = new LineCounter();
    const document = parseDocument(await readFile(path, 'utf8'), { lineCounter });
    const [mistake] = document.errors;
    if (mistake !== undefined) throw mistake;
    // It throws if aliases make a huge value of a few lines.
    const value: unknown = document.toJS() ?? {};
    hints = unquotedPhones(document, lineCounter);
    return parseWorkspaceSeed(value);
  } catch (error) {
    const lines = hints.map((hint) => `\n  ${hint}`);
    throw new UsageError(`The seed file ${path} cannot be used.\n${messageOf(error)}${lines.join('')}`);
  }
}

/** Finds phone numbers without quotes: YAML reads `+15551234567` as a number. */
function unquotedPhones(document: Document, lines: LineCounter): readonly string[] {
  const hints: string[] = [];
  visit(document, {
    Scalar(_, { value, source = '', range }) {
      if (typeof value !== 'number' || !/^\+\d{7,15}$/.test(source)) return;
      const { line } = lines.linePos(range?.[0] ?? 0);
      hints.push(`line ${line}: YAML reads this phone as a number. Quote it, as in '${source.slice(0, 3)}…'`);
    },
  });
  return hints;
}
