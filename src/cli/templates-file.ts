import { readFile, writeFile } from 'node:fs/promises';
import { isFileError } from '../files/file-error.js';
import { CommandFailure } from './command-failure.js';
import { messageOf } from './message-of.js';
import type { PulledTemplate } from './pulled-template.js';
import { readTemplatesSource } from './read-templates-source.js';
import { UsageError } from './usage-error.js';

/** The file that `templates pull` keeps up to date. */
export class TemplatesFile {
  readonly #path: string;
  readonly #isThere: boolean;
  /** What the last pull wrote, with the names that a person gave since. Undefined where there was none. */
  readonly templates: readonly PulledTemplate[] | undefined;
  /** Why it must not be written, where it must not. */
  readonly refusal: string | undefined;

  private constructor(path: string, content: string | undefined) {
    const source = content === undefined ? undefined : readTemplatesSource(content);
    this.#path = path;
    this.#isThere = source !== undefined;
    this.templates = source?.kind === 'pulled' ? source.templates : undefined;
    this.refusal = {
      none: undefined,
      pulled: undefined,
      foreign: `${path} was not written by this command, and is left as it is. Name another file, or give --force to lose what is in it.`,
      changed: `${path} says something on line ${source?.kind === 'changed' ? source.line : ''} that this command does not write; only names are kept. Move it to a file of your own that imports this one, or give --force to lose it and the names.`,
    }[source?.kind ?? 'none'];
  }

  /** @throws UsageError where it is there, and cannot be read. */
  static async read(path: string): Promise<TemplatesFile> {
    const content = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isFileError(error, 'ENOENT')) return undefined;
      throw new UsageError(`${path} cannot be read. ${messageOf(error)}`);
    });
    return new TemplatesFile(path, content);
  }

  /** @throws CommandFailure where it cannot be written, or has come into being meanwhile. */
  async write(source: string): Promise<void> {
    try {
      await writeFile(this.#path, source, { flag: this.#isThere ? 'w' : 'wx' });
    } catch (error) {
      throw new CommandFailure(`${this.#path} cannot be written. ${messageOf(error)}`);
    }
  }
}
