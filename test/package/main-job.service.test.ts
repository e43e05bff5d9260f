import { expect, test } from 'vitest';
import { run } from './commands.js';
import { testProject } from './project.js';

const project = testProject('untypedPackage');

test.each(['mjs', 'cjs'])(
  'a program that installed the package does the main job from a .%s module',
  async (format) => {
    await project().add(`main-job.${format}`);

    expect(JSON.parse(await run(project().folder, 'node', `main-job.${format}`))).toEqual({
      phone: '+15551234567',
      refused: true,
      verified: true,
    });
  },
);
