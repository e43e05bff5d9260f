import { readFile } from 'node:fs/promises';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { parseWorkspaceSeed, type WorkspaceSeed } from '../../server/index.js';
import { messageOf } from '../terminal/message-of.js';
import { UsageError } from '../terminal/usage-error.js';

/** Reads a seed from a YAML or JSON file. JSON is YAML, so one parser reads both. */
export async function readSeedFile(path: string): Promise<WorkspaceSeed> {
  const source = `The seed file ${path}`;
  const text = await readFile(path, 'utf8').catch((error: unknown) => refuse(source, error));
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [mistake] = document.errors;
  if (mistake !== undefined) return refuse(source, mistake);
  return checkedSeed(document.toJS() ?? {}, source, () => unquotedPhones(document, lineCounter));
}

/**
 * Checks a seed.
 *
 * @param hints - Returns further lines for the error.
 * @throws UsageError if the seed is invalid. It names the source and each problem.
 */
export function checkedSeed(
  value: unknown,
  source: string,
  hints: () => readonly string[] = () => [],
): WorkspaceSeed {
  try {
    return parseWorkspaceSeed(value);
  } catch (error) {
    return refuse(source, error, hints());
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

function refuse(source: string, error: unknown, hints: readonly string[] = []): never {
  throw new UsageError(
    [`${source} cannot be used.`, messageOf(error), ...hints.map((hint) => `  ${hint}`)].join('\n'),
  );
}
