import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from './control.js';

/** A guide of the package. */
export interface Guide {
  /** The file name, such as `retries.md`. */
  readonly file: string;
  /** Markdown. */
  readonly text: string;
}

/**
 * Reads the Markdown files of a folder.
 *
 * @throws ToolFailure if there are none.
 */
export async function readGuides(folder: string): Promise<readonly Guide[]> {
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .toSorted();
  if (names.length === 0) {
    throw new ToolFailure(
      'This copy of messaging-automation has no guides. Read them in its repository, under docs/guides.',
    );
  }
  return Promise.all(names.map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })));
}

/** A part of a guide under one heading. */
type Section = ReturnType<typeof sectionsOf>[number];

/** The sections that fit a question best, the best first. Each word of the question counts once: most in a heading, least in a text. */
export function findSections(guides: readonly Guide[], query: string, limit: number): readonly Section[] {
  const wanted = [...new Set(wordsIn(query))];
  return guides
    .flatMap(sectionsOf)
    .map((section) => {
      const [heading, guide, text] = [section.heading, section.guide, section.text].map(wordsIn);
      const scores = wanted.map((word) => {
        if (heading?.includes(word)) return 3;
        return guide?.includes(word) ? 2 : Number(text?.includes(word));
      });
      return { section, score: scores.reduce((sum, score) => sum + score, 0) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ section }) => section);
}

/** The title of a guide. */
export function titleOf({ file, text }: Guide): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? file;
}

/** The sections of a guide. A line in a code block is no heading. */
function sectionsOf(guide: Guide) {
  const title = titleOf(guide);
  const sections: { heading: string; lines: string[] }[] = [{ heading: title, lines: [] }];
  let isCode = false;
  for (const line of guide.text.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,4} (.+)$/.exec(line)?.[1];
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else if (heading !== title) sections.push({ heading, lines: [] });
  }
  return sections
    .map(({ heading, lines }) => ({ file: guide.file, guide: title, heading, text: lines.join('\n').trim() }))
    .filter(({ text }) => text !== '');
}

/** The words of a text in lower case, without the usual endings. */
function wordsIn(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !common.has(word)).map(stemOf);
}

/** The same text for `retry` and `retries`, and for `message` and `messages`. */
function stemOf(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=\w{3})(ing|ed|es|s)$/, '')
    .replace(/(?<=\w{3})e$/, '');
}

/** Words that say nothing about a subject. */
const common = new Set(
  'a an and are as at be by can do does for from how i if in is it its me my not of on or that the this to what when which why with you your'.split(
    ' ',
  ),
);
