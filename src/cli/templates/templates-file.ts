import { readFile, writeFile } from 'node:fs/promises';
import { isFileError } from '../../files/file-error.js';
import { CommandFailure } from '../terminal/command-failure.js';
import { messageOf } from '../terminal/message-of.js';
import { UsageError } from '../terminal/usage-error.js';
import type { PulledTemplate } from './pulled-template.js';
import { readTemplatesSource } from './read-templates-source.js';

/** The file that `templates pull` keeps up to date. */
export class TemplatesFile {
  readonly #path: string;
  readonly #isThere: boolean;
  /** The templates in the file, with the names that a person chose. `undefined` if no pull wrote the file. */
  readonly templates: readonly PulledTemplate[] | undefined;
  /** Why the file must not be overwritten, if so. */
  readonly refusal: string | undefined;

  private constructor(path: string, content: string | undefined) {
    const source = content === undefined ? undefined : readTemplatesSource(content);
    this.#path = path;
    this.#isThere = source !== undefined;
    this.templates = source?.kind === 'pulled' ? source.templates : undefined;
    this.refusal = {
      none: undefined,
      pulled: undefined,
      foreign: `${path} was not written by this command, so it was not changed. Name another file, or pass --force to overwrite it.`,
      changed: `${path} has code on line ${source?.kind === 'changed' ? source.line : ''} that this command does not write. Move that code to another file that imports this one, or pass --force to overwrite it and your names.`,
    }[source?.kind ?? 'none'];
  }

  /** @throws UsageError if the file exists and cannot be read. */
  static async read(path: string): Promise<TemplatesFile> {
    const content = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isFileError(error, 'ENOENT')) return undefined;
      throw new UsageError(`${path} cannot be read. ${messageOf(error)}`);
    });
    return new TemplatesFile(path, content);
  }

  /** @throws CommandFailure if the file cannot be written, or another process has created it. */
  async write(source: string): Promise<void> {
    try {
      await writeFile(this.#path, source, { flag: this.#isThere ? 'w' : 'wx' });
    } catch (error) {
      throw new CommandFailure(`${this.#path} cannot be written. ${messageOf(error)}`);
    }
  }
}
