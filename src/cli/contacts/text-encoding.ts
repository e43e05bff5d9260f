import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { messageOf, UsageError } from '../terminal/failures.js';

/** How a file turns its bytes into text. */
export interface FileEncoding {
  /** The encoding's name in the Encoding Standard, such as `utf-8`. */
  readonly name: string;
  /** Whether the file begins with a byte order mark. */
  readonly isMarked: boolean;
  /** Whether the file has nothing but ASCII, which most encodings write alike. */
  readonly isAscii: boolean;
  /** Whether it was guessed, because nothing in the file says so for certain. */
  readonly isGuessed: boolean;
}

/** The byte order marks. */
const marks: Readonly<Record<string, string>> = {
  'utf-8': '\xef\xbb\xbf',
  'utf-16le': '\xff\xfe',
  'utf-16be': '\xfe\xff',
};

/** How files begin that a spreadsheet opens, and that are no text. */
const workbooks = ['PK\x03\x04', '\xd0\xcf\x11\xe0'];

/** The characters of windows-1252 for the bytes 0x80 to 0x9f. Some releases of Node.js decode them wrongly. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** The bytes that windows-1252 leaves undefined. */
const undefinedInWindows1252 = /[\x81\x8d\x8f\x90\x9d]/;

const characterOfUtf8 = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/** What the bytes of a file say about its encoding. */
interface Survey {
  /** Its first bytes, one character each. */
  readonly start: string;
  readonly isUtf8: boolean;
  readonly isAscii: boolean;
  /** How many characters beyond ASCII it has, read as UTF-8, and how many bytes are left over. */
  readonly charactersOfUtf8: number;
  readonly otherBytes: number;
  /** How many letters of ASCII are near them. Languages that windows-1252 can write have more of these. */
  readonly letters: number;
  readonly hasUndefined: boolean;
}

/**
 * The encoding of a file: by its byte order mark, by the zeros of UTF-16, by whether all of it is valid UTF-8, and else
 * windows-1252, in which spreadsheets write for Western Europe and America.
 *
 * @param given - The encoding that the command line names.
 * @param kept - The encoding that an earlier command line named. It counts only where the file does not say.
 * @throws UsageError if the file cannot be read, is no text, or has no clear encoding.
 */
export async function encodingOf(path: string, given?: string, kept?: string): Promise<FileEncoding> {
  const survey = await surveyOf(path);
  const { start, isAscii } = survey;
  if (workbooks.some((beginning) => start.startsWith(beginning))) {
    throw new UsageError(`${path} is a workbook, not a CSV file. Save it as CSV, and import that file.`);
  }
  const marked = Object.keys(marks).find((name) => start.startsWith(marks[name] ?? ''));
  const isMarked = marked !== undefined;
  if (isMarked && given !== undefined && given !== marked) {
    throw new UsageError(
      `${path} says that it is in ${marked}, and --encoding says ${given}. Leave --encoding out.`,
    );
  }
  const told = given ?? marked ?? utf16Of(start) ?? (survey.isUtf8 ? 'utf-8' : undefined);
  if (told === 'utf-8' && !survey.isUtf8) throw await notUtf8(path);
  if (told !== undefined) return { name: told, isMarked, isAscii, isGuessed: false };
  if (kept !== undefined) return { name: kept, isMarked, isAscii, isGuessed: false };
  const { charactersOfUtf8, otherBytes, letters, hasUndefined } = survey;
  if (charactersOfUtf8 * 10 > otherBytes) throw await notUtf8(path);
  if (letters > otherBytes && !hasUndefined)
    return { name: 'windows-1252', isMarked, isAscii, isGuessed: true };
  throw new UsageError(
    `${path} is neither in UTF-8 nor in windows-1252. Save it as CSV in UTF-8, or name its encoding: ` +
      '--encoding windows-1250 or --encoding macintosh, for example.',
  );
}

async function surveyOf(path: string): Promise<Survey> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start: string | undefined;
  let isUtf8 = true;
  let isAscii = true;
  let charactersOfUtf8 = 0;
  let otherBytes = 0;
  let letters = 0;
  let hasUndefined = false;
  const read = (chunk?: Uint8Array) => {
    try {
      if (isUtf8) decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      isUtf8 = false;
    }
  };
  for await (const chunk of bytesOf(path)) {
    read(chunk);
    const characters = Buffer.from(chunk).toString('latin1');
    start ??= characters.slice(0, 1_024);
    if (!/[\x80-\xff]/.test(characters)) continue;
    isAscii = false;
    const others = characters.replace(characterOfUtf8, () => {
      charactersOfUtf8 += 1;
      return '';
    });
    otherBytes += countOf(/[\x80-\xff]/g, others);
    if (!isUtf8) letters += countOf(/[a-z]/gi, others);
    hasUndefined ||= undefinedInWindows1252.test(characters);
  }
  read();
  return { start: start ?? '', isUtf8, isAscii, charactersOfUtf8, otherBytes, letters, hasUndefined };
}

function countOf(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

/** UTF-16 without a byte order mark: every other byte of its letters is zero. */
function utf16Of(start: string): string | undefined {
  const zeros = [0, 1].map((side) => start.match(/../gs)?.filter((pair) => pair[side] === '\0').length ?? 0);
  const [first = 0, second = 0] = zeros;
  if (first + second < start.length / 4) return undefined;
  return first > second ? 'utf-16be' : 'utf-16le';
}

/** The error of a file with both UTF-8 and something else: read as the one or the other, it would change its letters. */
async function notUtf8(path: string): Promise<UsageError> {
  const number = await firstLineOfOther(path);
  return new UsageError(
    `${path} is not in UTF-8 at line ${number}, and other lines of it are. Correct that line, or save the file as CSV in ` +
      'UTF-8. If all of it has another encoding, name that, such as --encoding windows-1252.',
  );
}

/** The line of the first bytes that are not UTF-8. */
async function firstLineOfOther(path: string): Promise<number> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  for await (const chunk of bytesOf(path)) {
    const characters = Buffer.from(chunk).toString('latin1');
    for (const part of characters.match(/[^\r\n]+|\r\n|\r|\n/g) ?? []) {
      try {
        decoder.decode(Buffer.from(part, 'latin1'), { stream: true });
      } catch {
        return line;
      }
      if (/^[\r\n]/.test(part)) line += 1;
    }
  }
  return line;
}

/** The bytes of a file, in parts. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/**
 * The text of a file, in parts, without its byte order mark.
 *
 * @param hash - Gets the bytes of the file as they are read.
 * @throws UsageError if the file cannot be read, or not in this encoding.
 */
export async function* textOf(path: string, encoding: string, hash?: Hash): AsyncGenerator<string> {
  const isWindows1252 = encoding === 'windows-1252';
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decoded = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new UsageError(
        `${path} is not in ${encoding}, or is damaged. Save it as CSV in UTF-8, or name its encoding with --encoding.`,
      );
    }
  };
  for await (const chunk of bytesOf(path)) {
    hash?.update(chunk);
    yield isWindows1252 ? fromWindows1252(Buffer.from(chunk).toString('latin1')) : decoded(chunk);
  }
  yield decoded();
}

/** What the file system says of a file that cannot be read, in words. */
export function unreadableFile(path: string, error: unknown): UsageError {
  const { code }: { readonly code?: unknown } = Object(error);
  if (code === 'ENOENT') return new UsageError(`${path} cannot be read. ENOENT: there is no such file.`);
  if (code === 'EACCES')
    return new UsageError(`${path} cannot be read. EACCES: its permissions do not allow it.`);
  return new UsageError(`${path} cannot be read. ${messageOf(error)}`);
}

/** The bytes of a text. A character that the encoding lacks becomes a question mark. */
export function encoded(text: string, { name }: Pick<FileEncoding, 'name'>): Buffer {
  if (name === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (name === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  if (name !== 'windows-1252') return Buffer.from(text, 'utf8');
  return Buffer.from(
    text.replace(/[^\p{ASCII}\u00a0-\u00ff]/gu, (character) => {
      const place = character.length === 1 ? windows1252.indexOf(character) : -1;
      return place === -1 ? '?' : String.fromCharCode(0x80 + place);
    }),
    'latin1',
  );
}

/**
 * The encoding in which a file for the same spreadsheet is written: that of the first file if it can hold the text, else UTF-8.
 * UTF-8 beyond ASCII gets a byte order mark, because a spreadsheet reads it as windows-1252 without one.
 */
export function encodingForWriting({ name, isMarked, isAscii }: FileEncoding, text: string) {
  if (name === 'utf-16le' || name === 'utf-16be') return { name, mark: isMarked ? '\ufeff' : '' };
  if (name === 'windows-1252' && fromWindows1252(encoded(text, { name }).toString('latin1')) === text) {
    return { name, mark: '' };
  }
  const isPlain = name === 'utf-8' && isAscii && !isMarked;
  return { name: 'utf-8', mark: isPlain ? '' : '\ufeff' };
}

function fromWindows1252(bytes: string): string {
  return bytes.replace(/[\x80-\x9f]/g, (byte) => windows1252.charAt(byte.charCodeAt(0) - 0x80));
}
