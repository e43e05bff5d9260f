import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';

/** Turns of phrase that readers had to read twice, and what to write in their place. */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bunless (told|set|given)\b/i, 'Default: …'],
  [/\b(is|are|was|were|be) told\b(?! (apart|to\b))/i, 'who calls, reports or warns'],
  [/\bfor there to be\b/i, 'so that … exists'],
  [/\bcomes? to (its|their) end\b/i, 'ends, finishes'],
  [/\bcounts? for nothing\b/i, 'is ignored'],
  [/\b(falls?|fell) due\b/i, 'is due'],
  [/\bin the place of\b/i, 'replaces, and not'],
  [/\bnobody any ?more\b/i, 'no … still'],
  [/\bwhat it is told\b/i, 'what it receives'],
  [/\b(document|specification) §|§\d+ of the document\b/i, 'what the document says, or a link to the ledger'],
  [/\bgo(es)? on where\b/i, 'resumes, continues'],
  [/\bis no more than\b/i, 'is only'],
  // A person answers a question; an HTTP request gets a response. A function of the schema of 0.1.0 has a column with this name.
  [
    /\banswer(s|ed|ing)?\b(?!['"]| (was not yes|is not yes|as outcome|text, of_index))/i,
    'response, responds, returns',
  ],
  [/\ball the same\b/i, 'nevertheless'],
  [/\bmust hold no\b/i, 'must not contain'],
  [/\bfind out before making\b/i, 'Check before you retry.'],
  [/\bwas begun\b/i, 'was started'],
  [/\bnot foreseen\b/i, 'unexpected'],
  [/\bbroke off\b/i, 'interrupted'],
  [/\bmust lead to\b/i, 'must resolve to'],
  [/\bopens another workspace\b/i, 'belongs to another workspace'],
  [/\bstood still\b/i, 'was paused'],
  [/\btook longer than its\b/i, 'timed out after'],
];

/** Turns of phrase that only the comments of the sources had. A title that the ledger quotes may still have them. */
const phrasesOfComments: typeof phrases = [
  [
    /\b(who|what)ever (has|had|have|stops|claims|deletes|works|locks|parsed|keeps|becomes|happens|it)\b/i,
    'the … that',
  ],
  [/\bsomebody\b/i, 'who does it, or something'],
  [/\banew\b/i, 'again'],
  [/\b(stands?|stood) (for|in|on|beside|before|between)\b/i, 'represents, is in, uses, is next to'],
  [/\bin (the )?place of\b/i, 'instead of'],
  [/\bhands? (it|them|on|over)\b/i, 'passes, returns'],
  [/\b(let|lets|lets it|is let) (in|go of)\b/i, 'accepts, releases'],
  [/\b(that|which) is none\b/i, 'is not'],
  [/\bwhat (is|was) (used|given|left|signed) of\b/i, 'the part of … that'],
];

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'NODE_VERSION_POLICY.md', 'docs', 'skills'];
const files = execFileSync(
  'git',
  ['ls-files', ...pages, 'src', 'examples', 'test', 'scripts', '.changeset'],
  {
    cwd: repositoryFile('.'),
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => /\.(md|ts|tsx|yaml)$/.test(file) && !file.endsWith('/voice.test.ts'))
  // These have names and texts of users, and of earlier versions.
  .filter((file) => !/state\/(fixtures\/|older-versions)|upgrade\.service/.test(file));

function findingsIn(text: string, banned = phrases): readonly string[] {
  return text.split('\n').flatMap((line, index) =>
    banned
      // A name in code, such as the title of a test, is no prose.
      .filter(([phrase]) => phrase.test(line.replaceAll(/`[^`]*`/g, '')))
      .map(([, instead]) => `${index + 1}: ${line.trim()} (write: ${instead})`),
  );
}

/** The text with only its comments, each on its own line. A `//` in a string, such as a URL, is no comment. */
function commentsOf(text: string): string {
  return text
    .split('\n')
    .map(
      (line) => /^\s*(?:\/\/|\/\*|\*|-- )(.*)/.exec(line)?.[1] ?? /[;,{}()] \/\/ (.*)/.exec(line)?.[1] ?? '',
    )
    .join('\n');
}

/** The text of a page as it is. In code outside of comments, backticks are those of a message. */
function textOf(text: string, file: string): string {
  if (!/\.tsx?$/.test(file)) return text;
  const lines = text.split('\n');
  return lines.map((line) => (/^\s*(\/\/|\/\*|\*)/.test(line) ? line : line.replaceAll('`', '"'))).join('\n');
}

const sources = files.filter((file) => file.startsWith('src/'));

test.each([
  ['page, comment or message', files, phrases, textOf],
  ['comment of the sources', sources, phrasesOfComments, commentsOf],
] as const)('no %s has a phrase that readers stop at', (_, searched, banned, proseOf) => {
  const findings = searched.flatMap((file) =>
    findingsIn(proseOf(readFileSync(repositoryFile(file), 'utf8'), file), banned).map(
      (each) => `${file}:${each}`,
    ),
  );
  expect(findings).toEqual([]);
  expect(searched.length).toBeGreaterThan(400);
});

test('a phrase in a comment is found, and the same words in code are not', () => {
  const text = "const anew = 'https://example.com/anew'; // begins anew\n/** What is used of it. */\nanew();";
  expect(findingsIn(commentsOf(text), phrasesOfComments)).toEqual([
    '1: begins anew (write: again)',
    '2: * What is used of it. */ (write: the part of … that)',
  ]);
});
