import { readdirSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A guide, as the index of the guides, `llms.txt` and the site list it. */
export interface Guide {
  /** Relative to the repository, as in `docs/guides/client.md`. */
  readonly path: string;
  /** The heading in the index under which it stands. */
  readonly section: string;
  /** The guide's own heading. */
  readonly title: string;
  /** The first sentence of the guide, without its links. */
  readonly summary: string;
  readonly text: string;
}

/** The page that lists the guides. It holds the sections and the reading order, which nothing else repeats. */
export const guideIndex = 'docs/guides/README.md';

const folder = posix.dirname(guideIndex);
const entryPattern = /^- \[.*?\]\(([\w-]+\.md)\)/gm;

/** Reads the guides that the index lists, in reading order. Throws if the index leaves one out, or lists one twice or in vain. */
export function readGuides(): readonly Guide[] {
  const sections = readRepositoryFile(guideIndex).split(/^## /m).slice(1);
  const listed = sections.flatMap((section) =>
    [...section.matchAll(entryPattern)].map(([, name = '']) => ({
      name,
      section: section.slice(0, section.indexOf('\n')).trim(),
    })),
  );
  assertComplete(listed.map(({ name }) => name));
  return listed.map(({ name, section }) => {
    const path = `${folder}/${name}`;
    const text = readRepositoryFile(path);
    return { path, section, text, ...titleAndSummary(path, text) };
  });
}

/** Writes the title of each guide again, from the guide itself. What is around the titles stays. */
export function withCurrentEntries(index: string, guides: readonly Guide[]): string {
  return index.replaceAll(entryPattern, (entry, name: string) => {
    const guide = guides.find(({ path }) => basename(path) === name);
    return guide === undefined ? entry : `- [${guide.title}](${name})`;
  });
}

function assertComplete(listed: readonly string[]): void {
  const present = readdirSync(repositoryPath(folder)).filter(
    (name) => name.endsWith('.md') && name !== basename(guideIndex),
  );
  const problems = [
    ...present.filter((name) => !listed.includes(name)).map((name) => `${name} is not listed`),
    ...listed.filter((name) => !present.includes(name)).map((name) => `${name} does not exist`),
    ...listed
      .filter((name, index) => listed.indexOf(name) !== index)
      .map((name) => `${name} is listed twice`),
  ];
  if (problems.length > 0)
    throw new Error(`${guideIndex} must list each guide once: ${problems.join(', ')}.`);
}

function titleAndSummary(path: string, text: string): { readonly title: string; readonly summary: string } {
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  // The first block after the heading that is prose: not a picture, a quotation, a list, a table or code.
  const [, paragraph] = /^# .+\n(?:\n|[^\w`\n].*\n)*((?:[\w`*[].*\n)+)/m.exec(text) ?? [];
  if (title === undefined || paragraph === undefined)
    throw new Error(`${path} needs a heading, and a first paragraph.`);
  const prose = paragraph
    .trim()
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const sentence = /^.*?[.:?!](?= +[A-Z`[]|$)/.exec(prose)?.[0] ?? prose;
  return { title, summary: sentence.replace(/:$/, '.') };
}

function readRepositoryFile(path: string): string {
  return readFileSync(repositoryPath(path), 'utf8');
}

function repositoryPath(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
