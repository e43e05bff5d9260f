import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type ts from 'typescript';
import { repositoryFile } from '../repository.js';
import { moduleComments, publicSymbols } from './public-symbols.js';

/** A piece of TypeScript that the documentation shows. */
export interface CodeBlock {
  /** The file and the line where it begins, as in `README.md:42`. */
  readonly origin: string;
  /** What follows the opening fence: `ts`, or `ts no-run`. */
  readonly info: string;
  readonly code: string;
}

/** The fenced blocks of the README, the guides and the skills, whatever their language. */
export function markdownBlocks(): readonly CodeBlock[] {
  const guides = readdirSync(repositoryFile('docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('api/'))
    .sort()
    .map((path) => `docs/${path}`);
  const skills = readdirSync(repositoryFile('skills')).map((name) => `skills/${name}/SKILL.md`);
  return ['README.md', ...guides, ...skills].flatMap((path) =>
    fencedBlocks(readFileSync(repositoryFile(path), 'utf8'), path, 1),
  );
}

/** The fenced blocks of every module's introduction, and of every doc comment on a public symbol or on something inside it. */
export function docCommentBlocks(): readonly CodeBlock[] {
  const comments = new Set([
    ...moduleComments(),
    ...publicSymbols().flatMap((symbol) => [...symbol.comments, ...symbol.memberComments]),
  ]);
  return [...comments].flatMap((comment) => {
    const file = comment.getSourceFile();
    const { line } = file.getLineAndCharacterOfPosition(comment.getStart());
    return fencedBlocks(plainText(comment), relative(repositoryFile('.'), file.fileName), line + 1);
  });
}

/** The comment without its frame of asterisks. */
export function plainText(comment: ts.JSDoc): string {
  return comment
    .getText()
    .replace(/\*\/$/, '')
    .replace(/^\s*(\/\*)?\*+ ?/gm, '');
}

function fencedBlocks(text: string, path: string, firstLine: number): readonly CodeBlock[] {
  return [...text.matchAll(/^( *)```(\S.*)?\n([\s\S]*?)^ *```$/gm)].map((match) => {
    const [, indent = '', info = '', code = ''] = match;
    const line = firstLine + text.slice(0, match.index).split('\n').length;
    return { origin: `${path}:${line}`, info, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}
