import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { repositoryFile } from '../repository.js';
import type { CodeBlock } from './code-blocks.js';
import { programOf } from './compiler.js';

/** A code block in a file of its own, to be compiled and run as an ES module. */
export interface ExampleFile extends CodeBlock {
  readonly path: string;
}

const folder = repositoryFile('.cache/examples');

/** Writes each block into the ignored folder `.cache/examples`, and removes what is there of earlier runs. */
export function writeExampleFiles(blocks: readonly CodeBlock[]): readonly ExampleFile[] {
  mkdirSync(folder, { recursive: true });
  const files = blocks.map((block) => ({ ...block, path: join(folder, fileName(block.origin)) }));
  const wanted = new Set(files.map(({ path }) => path));
  for (const name of readdirSync(folder)) {
    if (!wanted.has(join(folder, name))) rmSync(join(folder, name));
  }
  for (const { path, code } of files) {
    const text = `${code}\nexport {};\n`; // a module even where it imports nothing
    if (readIfThere(path) !== text) writeFileSync(path, text); // unchanged files don't wake a watching Vitest
  }
  return files;
}

/** What the strict compiler has to say against the files, each with the place that it comes from. */
export function typeErrors(files: readonly Pick<ExampleFile, 'path' | 'origin'>[]): readonly string[] {
  const program = programOf(files.map(({ path }) => path));
  return files.flatMap(({ path, origin }) => {
    const source = program.getSourceFile(path);
    if (source === undefined) throw new Error(`the compiler did not take ${path}`);
    return ts.getPreEmitDiagnostics(program, source).map((diagnostic) => {
      const { line } = ts.getLineAndCharacterOfPosition(source, diagnostic.start ?? 0);
      const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
      return `${origin}, line ${line + 1} of the block: ${message}`;
    });
  });
}

function fileName(origin: string): string {
  return `${origin.replaceAll(/[^\w.]+/g, '-')}.ts`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
