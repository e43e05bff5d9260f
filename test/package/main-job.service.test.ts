import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from './commands.js';
import { createProject, type PackageProject } from './project.js';

let project: PackageProject;

beforeAll(async () => {
  project = await createProject('untypedPackage');
});

afterAll(() => project?.[Symbol.asyncDispose]());

test.each(['mjs', 'cjs'])(
  'a program that installed the package does the main job from a .%s module',
  async (format) => {
    await project.add(`main-job.${format}`);

    expect(JSON.parse(await run(project.folder, 'node', `main-job.${format}`))).toEqual({
      phone: '+15551234567',
      refused: true,
      verified: true,
    });
  },
);
