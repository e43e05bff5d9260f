import { readdirSync, readFileSync } from 'node:fs';
import * as webhooks from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { callingScenarios } from './skills/calling.js';
import { receivingScenarios } from './skills/receiving.js';
import type { Scenarios } from './skills/scenario.js';
import { testingScenarios } from './skills/testing.js';

/** For each skill, what a reader of a rule or a pitfall would write, by the beginning of its text. */
const scenariosOf: Readonly<Record<string, Scenarios>> = {
  'call-the-service': callingScenarios,
  'receive-webhooks': receivingScenarios,
  'test-an-integration': testingScenarios,
};

const names = readdirSync(repositoryFile('skills'));

test('each skill has scenarios, and no other', () => {
  expect(Object.keys(scenariosOf).toSorted()).toEqual(names.toSorted());
});

describe.each(names)('the skill %s', (name) => {
  const text = readFileSync(repositoryFile(`skills/${name}/SKILL.md`), 'utf8');
  const scenarios = scenariosOf[name] ?? {};
  const claims = text
    .split(/\n- /)
    .slice(1)
    .map((claim) => claim.split('\n\n')[0]?.replace(/\n\s+/g, ' ') ?? '');

  test('has a head that agents can read: its folder as its name, and when to use it', () => {
    const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
    expect(head).toMatch(new RegExp(`^name: ${name}\ndescription: .{60,1024}$`));
    expect(text.length).toBeLessThan(5_000);
  });

  test('names guides that exist', () => {
    const named = [...text.matchAll(/`([\w-]+\.md)`/g)].map(([, guide]) => guide);
    expect(named.length).toBeGreaterThan(2);
    const there = readdirSync(repositoryFile('docs/guides'));
    expect(named.filter((guide) => guide !== undefined && !there.includes(guide))).toEqual([]);
  });

  test('makes no claim without a scenario, and has no scenario without a claim', () => {
    const beginnings = Object.keys(scenarios);
    const count = (all: readonly string[], one: (each: string) => boolean) => all.filter(one).length;
    for (const claim of claims)
      expect([claim, count(beginnings, (beginning) => claim.startsWith(beginning))]).toEqual([claim, 1]);
    for (const beginning of beginnings)
      expect([beginning, count(claims, (claim) => claim.startsWith(beginning))]).toEqual([beginning, 1]);
  });

  test.each(Object.entries(scenarios))('%s', (_, scenario) => scenario());
});

test('the adapters that a skill names are those that exist', () => {
  const text = readFileSync(repositoryFile('skills/receive-webhooks/SKILL.md'), 'utf8');
  const [, list = ''] = /- The adapter by framework: (.*?)\n- /s.exec(text) ?? [];
  const named = [...list.matchAll(/`(to\w+)`/g)].map(([, adapter]) => adapter);
  // `toFastifyHandler` is for applications that keep raw bodies already.
  const adapters = Object.keys(webhooks).filter(
    (each) => /^to[A-Z]/.test(each) && each !== 'toFastifyHandler',
  );
  expect(named.toSorted()).toEqual(adapters.toSorted());
});
