import { readFile } from 'node:fs/promises';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { parseWorkspaceSeed, type WorkspaceSeed } from '../../server/index.js';
import { messageOf, UsageError } from '../terminal/failures.js';

/** Reads a seed from a YAML or JSON file. JSON is YAML, so one parser reads both. */
export async function readSeedFile(path: string): Promise<WorkspaceSeed> {
  const source = `The seed file ${path}`;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw refusal(source, error);
  });
  const lineCounter = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter });
    const [mistake] = document.errors;
    if (mistake !== undefined) throw mistake;
    // It throws if aliases make a huge value of a few lines.
    const value: unknown = document.toJS() ?? {};
    return checkedSeed(value, source, () => unquotedPhones(document, lineCounter));
  } catch (error) {
    throw error instanceof UsageError ? error : refusal(source, error);
  }
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
    throw refusal(source, error, hints());
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

function refusal(source: string, error: unknown, hints: readonly string[] = []): UsageError {
  return new UsageError(
    [`${source} cannot be used.`, messageOf(error), ...hints.map((hint) => `  ${hint}`)].join('\n'),
  );
}
