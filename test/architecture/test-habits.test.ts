import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';

// Habits by which a test promises more than it asserts.

/** The places of a source that have such a habit, each with what is wrong. */
function habitsIn(name: string, text: string): readonly string[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true);
  const found: string[] = [];
  const note = (node: ts.Node, habit: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${name}:${line + 1} ${habit}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isForOfStatement(node) && mayBeMissing(node.expression) && asserts(node.statement))
      note(node, 'asserts in a loop over a list that may not be there');
    if (ts.isForStatement(node) && isCounted(node) && isTick(node.statement))
      note(node, 'counts turns of the event loop in place of waiting for something');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function mayBeMissing(list: ts.Expression): boolean {
  return (
    ts.isBinaryExpression(list) &&
    list.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken &&
    ts.isArrayLiteralExpression(list.right)
  );
}

function asserts(node: ts.Node): boolean {
  return /\bexpect\(/.test(node.getText());
}

/** Whether the loop goes round as often as a number in the source says. */
function isCounted({ condition }: ts.ForStatement): boolean {
  return condition !== undefined && ts.isBinaryExpression(condition) && ts.isNumericLiteral(condition.right);
}

/** Whether all that is done is to await a turn: nothing, or a promise made of a timer. */
function isTick(statement: ts.Statement): boolean {
  const text = statement.getText().replace(/^\{\s*|\s*\}$/g, '');
  return /^await (null|undefined|Promise\.resolve\(\)|new Promise\b[^;]*\b(setTimeout|setImmediate)\b[^;]*);?$/.test(
    text,
  );
}

/** Where turns are counted only to see that nothing more happens, after something else was waited for. */
const seeingThatNothingHappens = ['test/waiting.ts'];

test('no test of this repository has them', () => {
  const files = readdirSync(repositoryFile('test'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.includes('node_modules/'),
  );

  expect(files.length).toBeGreaterThan(200);
  const found = files
    .map((path) => `test/${path}`)
    .filter((path) => !seeingThatNothingHappens.includes(path))
    .flatMap((path) => habitsIn(path, readFileSync(repositoryFile(path), 'utf8')));
  expect(found).toEqual([]);
});

test.each([
  ['for (const one of found?.all ?? []) expect(one).toBe(1);', 'loop over a list'],
  ['for (let i = 0; i < 20; i += 1) await new Promise((done) => setTimeout(done, 0));', 'counts turns'],
])('%s is found', (text, habit) => {
  expect(habitsIn('planted.ts', text)).toEqual([expect.stringContaining(habit)]);
});
