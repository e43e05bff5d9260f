import { readFile, writeFile } from 'node:fs/promises';
import { isFileError } from '../../files/file-error.js';
import { CommandFailure, messageOf, UsageError } from '../terminal/failures.js';
import { digestOf, isGenerated, type PulledTemplate, sourceOf, templatesIn } from './pulled-templates.js';

/** The files of `templates pull`: the names, where a person renames, and the TypeScript that is made of them. */
export class TemplatesFiles {
  readonly #out: string;
  readonly #names: string;
  readonly #source: string | undefined;
  readonly #isNamed: boolean;
  /** The templates of the last pull, with the names that a person chose. */
  readonly templates: readonly PulledTemplate[];

  private constructor(out: string, source: string | undefined, namesFile: string, names: string | undefined) {
    this.#out = out;
    this.#names = namesFile;
    this.#source = source;
    this.#isNamed = names !== undefined;
    const templates = names === undefined ? [] : templatesIn(names);
    if (templates === undefined) {
      throw new UsageError(
        `${namesFile} is not a list of templates with an id, a name, variables and text, each name only once. Correct it, or delete it to pull without your names.`,
      );
    }
    this.templates = templates;
  }

  /** @throws UsageError if a file exists and cannot be read, or has no names. */
  static async read(out: string): Promise<TemplatesFiles> {
    const names = `${out.replace(/\.[cm]?ts$/, '')}.names.json`;
    return new TemplatesFiles(out, await contentOf(out), names, await contentOf(names));
  }

  /** Why the TypeScript must not be overwritten, if so. */
  get refusal(): string | undefined {
    return this.#source === undefined || isGenerated(this.#source)
      ? undefined
      : `${this.#out} was not written by this command, so it was not changed. Name another file, or pass --force to overwrite it.`;
  }

  /** Whether both files have exactly these templates. */
  have(templates: readonly PulledTemplate[]): boolean {
    const digest = digestOf(templates);
    return this.#isNamed && digest === digestOf(this.templates) && this.#source?.includes(digest) === true;
  }

  /** @throws CommandFailure if a file cannot be written, or another process has created it. */
  async write(templates: readonly PulledTemplate[]): Promise<void> {
    await write(this.#names, this.#isNamed, `${JSON.stringify(templates, null, 2)}\n`);
    await write(this.#out, this.#source !== undefined, sourceOf(templates, this.#names));
  }
}

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (isFileError(error, 'ENOENT')) return undefined;
    throw new UsageError(`${path} cannot be read. ${messageOf(error)}`);
  });
}

async function write(path: string, isThere: boolean, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: isThere ? 'w' : 'wx' });
  } catch (error) {
    throw new CommandFailure(`${path} cannot be written. ${messageOf(error)}`);
  }
}
